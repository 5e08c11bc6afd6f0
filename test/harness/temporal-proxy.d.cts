import type { Http2Server, IncomingHttpHeaders } from 'node:http2';

type Refusal = (headers: IncomingHttpHeaders) => { status: string; message: string } | undefined;

export interface TemporalProxy {
  address: string;
  close(): void;
}
export const refusedByCloud: Refusal;
export function temporalProxy(behind: string, server: Http2Server, refusal: Refusal): Promise<TemporalProxy>;
