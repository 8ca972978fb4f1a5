/** The errors of TLS handshakes in words, each with a remedy. */

const WORDS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate has expired; give it a new one',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet; compare the clocks of the two machines',
  CERT_SIGNATURE_FAILURE:
    'its certificate was not signed by the CA of that name in the CA file (tls.ca); give both sides the same CA',
  CERT_REVOKED: 'its certificate was revoked; give it a new one',
  CERT_REJECTED: 'its certificate may not be used for this; let the CA issue one for servers and clients',
  DEPTH_ZERO_SELF_SIGNED_CERT:
    'its certificate was issued by no CA, only by itself; let the CA of the cluster issue it',
  INVALID_CA: 'its certificate was issued by a certificate that is no CA; let the CA of the cluster issue it',
  INVALID_PURPOSE:
    'its certificate may not be used for this; let the CA issue one for servers and clients (extendedKeyUsage serverAuth, clientAuth)',
  PATH_LENGTH_EXCEEDED: 'there are more certificates between it and the CA than the CA allows',
  SELF_SIGNED_CERT_IN_CHAIN:
    'its certificate was issued by a CA that is not in the CA file (tls.ca); add that CA, or give it a certificate of this one',
  UNABLE_TO_GET_ISSUER_CERT:
    'the CA file (tls.ca) lacks the root of the CA that issued its certificate; add it',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'its certificate was issued by a CA that is not in the CA file (tls.ca); add that CA, or give it a certificate of this one',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'its certificate was issued by a CA that is not in the CA file (tls.ca); add that CA, or give it a certificate of this one',
};

/** By the alert that the other side sent before it closed the connection. */
const ALERTS: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/unknown[_ ]ca/i, 'it does not trust the CA of our certificate; its CA file (tls.ca) has to hold that CA'],
  [/certificate[_ ]expired/i, 'it says that our certificate has expired; replace the file tls.cert'],
  [
    /bad[_ ]certificate|certificate[_ ]unknown|unsupported[_ ]certificate/i,
    'it does not accept our certificate; its log says why',
  ],
  [
    /wrong[_ ]version[_ ]number|packet[_ ]length[_ ]too[_ ]long|http[_ ]request/i,
    'it does not use TLS; give all members certificates',
  ],
  [
    /protocol[_ ]version|unsupported[_ ]protocol|no[_ ]protocols/i,
    'it does not offer TLS 1.3, which members need',
  ],
];

/** What went wrong in a handshake, and the remedy; null if the error is none of TLS. */
export function handshakeWords({
  code = '',
  message = '',
}: {
  readonly code?: string | undefined;
  readonly message?: string;
}): string | null {
  // OpenSSL's names may come with the prefix of later versions of Node.js.
  const words = WORDS[code.replace(/^ERR_TLS_/, '')];
  if (words !== undefined) return `${words} (${code})`;
  const alert = ALERTS.find(([pattern]) => pattern.test(code) || pattern.test(message));
  if (alert !== undefined) return alert[1];
  return /^ERR_(SSL|TLS)_/.test(code) || code === 'EPROTO' ? `the TLS handshake failed (${code})` : null;
}
