/** The scenario of the race: the gallery sets it, the race shows it. */
export const choice: { story: string } = $state({ story: 'isolate-leader' });
