import { BadInput, show } from '../../core/index.ts';
import { CaucusError, type Engine, type LogEntry } from '../../election/index.ts';
import { type EngineOptions, openEngine } from '../../engines/index.ts';
import { CaucusService, type Discovery } from './caucus-service.ts';

export interface CaucusModuleOptions {
  /** The engine, as `openEngine` takes it: `postgres://…`, `redis://…`, `local:`, … */
  readonly url?: string;
  /** In place of `url`: an engine or member that is open. The application that opened it closes it. */
  readonly engine?: Engine;
  /** The options of the engine at `url`. */
  readonly options?: EngineOptions;
  /** The election that is meant where none is named (default: `app`). */
  readonly election?: string;
  /** How long work may take to stop (default: 10 s). */
  readonly drainMs?: number;
  /** Gets what there is to tell. By default, warnings go to `process.emitWarning`. */
  readonly log?: (entry: LogEntry) => void;
}

/** What NestJS takes as a dynamic module. */
export interface DynamicModuleLike {
  // biome-ignore lint/suspicious/noExplicitAny: the types of NestJS, which are not installed everywhere.
  readonly module: any;
  readonly global: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly imports: any[];
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly providers: any[];
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly exports: any[];
}

/** `imports: [CaucusModule.forRoot({ url })]`, once in an application. `CaucusService` can then be injected everywhere. */
// biome-ignore lint/complexity/noStaticOnlyClass: NestJS identifies a module by its class.
export class CaucusModule {
  static async forRoot(options: CaucusModuleOptions): Promise<DynamicModuleLike> {
    const { url, engine, election = 'app' } = options ?? {};
    if ((url === undefined) === (engine === undefined))
      throw new BadInput(
        'CaucusModule.forRoot',
        'either url or engine',
        url === undefined ? 'neither' : 'both',
      );
    if (typeof election !== 'string') throw new BadInput('election', 'a name', show(election));
    const { DiscoveryModule, DiscoveryService } = await loadNest();
    const useFactory = async (discovery: Discovery): Promise<CaucusService> => {
      const log = options.log ?? (({ message }: LogEntry) => process.emitWarning(`caucus: ${message}`));
      const { drainMs } = options;
      const service = (each: Engine, close: () => Promise<void>): CaucusService =>
        new CaucusService(each, discovery, { election, drainMs, log }, close);
      if (engine !== undefined) return service(engine, async () => {});
      const opened = await openEngine(url!, options.options);
      return service(opened, () => opened.close());
    };
    return {
      module: CaucusModule,
      global: true,
      imports: [DiscoveryModule],
      providers: [{ provide: CaucusService, useFactory, inject: [DiscoveryService] }],
      exports: [CaucusService],
    };
  }
}

async function loadNest(): Promise<{
  readonly DiscoveryModule: unknown;
  readonly DiscoveryService: unknown;
}> {
  try {
    return await import('@nestjs/core');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new CaucusError('E_UNSUPPORTED', 'caucus/nestjs needs the package @nestjs/core', { cause });
  }
}
