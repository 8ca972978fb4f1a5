/** One replica of a service with NestJS. Start several, on any engine: `npx tsx --tsconfig tsconfig.nestjs.json nestjs.ts local:` */
import 'reflect-metadata';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Interval, ScheduleModule } from '@nestjs/schedule';
import type { Leadership, OnceContext } from 'caucus';
import { CaucusModule, CaucusService, Lead, LeaderCron, OnlyLeader } from 'caucus/nestjs';

const say = (what: string): void => void process.stdout.write(`${what}\n`);

@Injectable()
class Reports {
  /** Once for each second, on one replica. */
  @LeaderCron('* * * * * *')
  report({ occasion, token }: OnceContext): void {
    say(`${occasion} token ${token}`);
  }

  /** A timer of @nestjs/schedule, on the leader alone. */
  @OnlyLeader()
  @Interval(500)
  sweep(): void {
    say('sweeps');
  }

  /** For as long as this replica leads. */
  @Lead('bot')
  async hold({ token, ended }: Leadership): Promise<void> {
    say(`connected with token ${token}`);
    say(`disconnected: ${(await ended).detail}`);
  }
}

@Module({
  imports: [CaucusModule.forRoot({ url: process.argv[2] ?? 'local:' }), ScheduleModule.forRoot()],
  providers: [Reports],
})
class AppModule {}

const app = await NestFactory.createApplicationContext(AppModule, { logger: ['error', 'warn'] });
app.enableShutdownHooks(); // On SIGTERM the work is stopped, and leaderships are released.
const { caucus } = await app.get(CaucusService).health();
say(`the application is ${caucus!.status}`);
