export interface AskFlags {
  readonly election?: string;
  readonly json?: boolean;
  readonly tokenFile?: string;
  readonly tlsCa?: string;
}
