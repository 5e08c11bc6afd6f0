/** Works around the SDK: if a connection is closed while a call waits for its next attempt, the SDK throws in a timer, which ends the process. */
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

/** Options of a connection whose retries, the SDK's own or the caller's, end once it is closed. */
export const canceledOnceClosed = (options: ConnectionOptions): ConnectionOptions => ({
  ...options,
  interceptors: [...(options.interceptors ?? [makeGrpcRetryInterceptor(defaultGrpcRetryOptions())]), endsOnceClosed],
});

/** The same as a plugin, for connections that somebody else makes. */
export const endingOnceClosed: ConnectionPlugin = {
  name: 'payment-gateway.ending-once-closed',
  configureConnection: canceledOnceClosed,
};

export const connectTo = (options: ConnectionOptions): Promise<Connection> =>
  Connection.connect(canceledOnceClosed(options));

/** Connects at the first call, so that the server need not be there yet. */
export const connectOnceAsked = (options: ConnectionOptions): Connection =>
  Connection.lazy(canceledOnceClosed(options));
