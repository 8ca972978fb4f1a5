export { ALL_ELECTIONS, type SupportAnswer, type SupportRequest, supportMessages } from './messages.ts';
export { Support, type SupportPorts } from './support.ts';
