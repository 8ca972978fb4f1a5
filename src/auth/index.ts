export { readPrivateFile, readSecretFile } from './credentials.ts';
export {
  type Access,
  judge,
  type Lack,
  NEEDS,
  type Need,
  needsOf,
  needsToken,
} from './roles.ts';
export {
  isToken,
  type NamedToken,
  newToken,
  parseTokens,
  type TokenOption,
  Tokens,
  tokenOptions,
} from './tokens.ts';
