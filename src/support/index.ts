export { ALL_ELECTIONS, type SupportAnswer, type SupportRequest, supportMessages } from './messages.ts';
export { Support } from './support.ts';
