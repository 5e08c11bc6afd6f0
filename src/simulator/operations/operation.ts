import { LosslessNumber } from 'lossless-json';
import { type LooseObject, textAt } from '../json';
import type { SimulatorApp } from '../options';
import type { TradeRecord, VirtualAccount } from '../records';
import { type RequestRefusal, refusalCodes } from '../rules/refusal';
import type { Settings } from '../settings';
import type { SimulatedGateway } from '../simulated-gateway';

/** An answer of the gateway: an HTTP status and a JSON body. */
export interface WireAnswer {
  status: number;
  body: LooseObject;
}

/** A successful answer with the fields of its operation. */
export function success(fields: LooseObject): WireAnswer {
  return { status: 200, body: { code: '10000', msg: 'Success', ...fields } };
}

/** A refusal as an answer. */
export function refusedAnswer({ code, sub_code, sub_msg }: RequestRefusal, status: number): WireAnswer {
  return { status, body: { code, msg: refusalCodes[code], sub_code, sub_msg } };
}

/** A decimal text as answers write it: as an exact number literal, or as a text. */
export function decimalAs(text: string, { queryAmount }: Settings): unknown {
  return queryAmount === 'number' ? new LosslessNumber(text) : text;
}

/** A request whose credentials and fields are right. */
export interface OperationCall {
  app: SimulatorApp;
  body: LooseObject;
}

/** An answer, or a refusal that is not yet one. */
export type OperationAnswer = WireAnswer | RequestRefusal;

/** The result of a call: its answer, and what was created or found. */
export interface OperationResult {
  answer: OperationAnswer;
  trade?: TradeRecord | undefined;
  account?: VirtualAccount | undefined;
  /** A trade, a refund or an account was created. */
  created?: true;
  /** Something that existed was changed. */
  changed?: true;
  /** The answer of a gateway that is one state behind. */
  stale?: WireAnswer | undefined;
}

/** Carries out one operation of the interface. */
export type OperationHandler = (call: OperationCall, gateway: SimulatedGateway) => OperationResult;

/** Reads the fields of a body: `required` ones have passed the rules, `optional` ones are `null` if they are left out. */
export function fieldsOf(body: LooseObject) {
  const required = (path: string) => textAt(body, path) ?? '';
  const optional = (path: string) => textAt(body, path) ?? null;
  const number = optional('customer.identify.number');
  const user = {
    name: optional('customer.name'),
    email: optional('customer.email'),
    phone: optional('customer.phone'),
    ip: optional('ip'),
    identify: number === null ? null : { number, type: required('customer.identify.type') },
  };
  return { required, optional, user };
}
