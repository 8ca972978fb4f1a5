/** What opens over the page. */
export type SheetName = 'gallery' | 'race' | 'files' | 'settings' | 'help';
