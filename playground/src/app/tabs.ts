export interface Tab {
  readonly id: string;
  readonly name: string;
}
