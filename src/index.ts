/**
 * Caucus elects leaders. Today it plays elections in a simulated world:
 *
 *     const scenario = readScenario({ protocol: 'epoch', members: 5 }, catalogue);
 *     const { final, violations } = simulate(scenario, 1);
 */
export { BadInput } from './core/index.ts';
export { catalogue } from './protocols/index.ts';
export { type Result, readScenario, type Scenario, simulate } from './simulation/index.ts';
