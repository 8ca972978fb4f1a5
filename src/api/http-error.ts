/** A request that was not carried out. The status and the code are part of the API; the message is for people. */
export class HttpError extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;
  /** More fields for programs, beside code and message. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    status: number,
    code: string,
    message: string,
    more: {
      readonly headers?: Readonly<Record<string, string>>;
      readonly details?: Readonly<Record<string, unknown>>;
    } = {},
  ) {
    // It is an answer, and where it was thrown is never shown: without that it costs a tenth, and most are for junk.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'HttpError';
    this.status = status;
    this.code = code;
    this.headers = more.headers ?? {};
    this.details = more.details ?? {};
  }

  /** The same with more headers. */
  with(headers: Readonly<Record<string, string>>): HttpError {
    const { status, code, message, details } = this;
    return new HttpError(status, code, message, { headers: { ...this.headers, ...headers }, details });
  }
}
