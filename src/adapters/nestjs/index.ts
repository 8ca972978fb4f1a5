/**
 * caucus/nestjs: elections in a NestJS application: `CaucusModule.forRoot({ url })`, schedules that run on one replica
 * (`@LeaderCron`), methods that only the leader runs (`@OnlyLeader`), and work that the leader does (`@Lead`). On shutdown the work
 * is stopped and waited for, and leaderships are released.
 */
export { CaucusModule, type CaucusModuleOptions, type DynamicModuleLike } from './caucus-module.ts';
export { CaucusService, type ElectionHealth } from './caucus-service.ts';
export { Lead, LeaderCron, type LeaderCronOptions, OnlyLeader } from './decorators.ts';
