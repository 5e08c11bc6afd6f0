/**
 * Makes connections, and works around the SDK: if one is closed while a call waits for its next attempt, the SDK throws in a timer, which ends
 * the process; and after an outage gRPC leaves Temporal alone for up to two minutes.
 */
import { InterceptingCall, type Interceptor, Metadata, status } from '@grpc/grpc-js';
import {
  Connection,
  type ConnectionOptions,
  type ConnectionPlugin,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';
import { messageOf } from '../process/message-of';

/** Ends a call that grpc cannot begin as canceled, because a canceled call is not tried again. */
const endsOnceClosed: Interceptor = (options, nextCall) => {
  try {
    return new InterceptingCall(nextCall(options));
  } catch (error) {
    return canceled(messageOf(error));
  }
};

function canceled(details: string): InterceptingCall {
  const nothing = () => undefined;
  return new InterceptingCall({
    start(_metadata, listener) {
      listener?.onReceiveMessage?.(null);
      listener?.onReceiveStatus?.({ code: status.CANCELLED, details, metadata: new Metadata() });
    },
    sendMessage: nothing,
    sendMessageWithContext: nothing,
    startRead: nothing,
    halfClose: nothing,
    cancelWithStatus: nothing,
    getPeer: () => '',
    getAuthContext: () => null,
  });
}

/** The longest pause before a lost connection is tried again, in ms. gRPC adds up to a fifth. */
const RECONNECTS_WITHIN_MS = 5_000;

/** Options of a connection that is soon there again after an outage, and whose retries, the SDK's own or the caller's, end once it is closed. */
export const resilient = (options: ConnectionOptions): ConnectionOptions => ({
  ...options,
  channelArgs: { 'grpc.max_reconnect_backoff_ms': RECONNECTS_WITHIN_MS, ...options.channelArgs },
  interceptors: [...(options.interceptors ?? [makeGrpcRetryInterceptor(defaultGrpcRetryOptions())]), endsOnceClosed],
});

/** The same as a plugin, for connections that somebody else makes. */
export const endingOnceClosed: ConnectionPlugin = {
  name: 'payment-gateway.ending-once-closed',
  configureConnection: resilient,
};

export const connectTo = (options: ConnectionOptions): Promise<Connection> => Connection.connect(resilient(options));

/** Connects at the first call, so that the server need not be there yet. */
export const connectOnceAsked = (options: ConnectionOptions): Connection => Connection.lazy(resilient(options));
