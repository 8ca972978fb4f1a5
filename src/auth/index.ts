export { readPrivateFile, readPublicFile, readSecretFile } from './credentials.ts';
export { type Flaw, Initiator, NONCE_BYTES, Responder, type Session, type Step } from './handshake.ts';
export {
  answerProof,
  BOOT_BYTES,
  isAnswerProof,
  isRequestProof,
  type RequestClaim,
  readAuthorization,
  readChallenge,
  requestProof,
  writeAnswerProof,
  writeAuthorization,
  writeChallenge,
} from './rest-proof.ts';
export {
  type Access,
  judge,
  type Lack,
  NEEDS,
  type Need,
  needsOf,
  needsToken,
} from './roles.ts';
export { Opener, SEAL_BYTES, Sealer } from './seal.ts';
export { readSecrets, type Secret, Secrets } from './secret.ts';
export { isPem, parseCertificates, type TlsFiles } from './tls/files.ts';
export { MemberTls } from './tls/member-tls.ts';
export { altNames, memberUri, type Named } from './tls/names.ts';
export { ServerTls } from './tls/server-tls.ts';
export { handshakeWords } from './tls/words.ts';
export {
  isToken,
  type NamedToken,
  newToken,
  parseTokens,
  type TokenOption,
  Tokens,
  tokenOptions,
} from './tokens.ts';
