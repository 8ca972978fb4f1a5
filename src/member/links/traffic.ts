/** Counts the messages to and from one peer, over all its connections. */
export class Traffic {
  sent = 0;
  received = 0;
  dropped = 0;
  bytesSent = 0;
  bytesReceived = 0;

  countSent(bytes: number): void {
    this.sent++;
    this.bytesSent += bytes;
  }

  countReceived(bytes: number, messages = 1): void {
    this.received += messages;
    this.bytesReceived += bytes;
  }
}
