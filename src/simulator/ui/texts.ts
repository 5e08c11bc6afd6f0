/** What the buyer's pages say. A text that lacks a language does not compile. */
import type { TradeState } from '../records';
import type { MethodName, PaymentField } from '../rules/methods';
import type { Text } from './languages';

// biome-ignore format: a table, a text a line
/** The words of the pages. */
export const labels = {
  status:           { en: 'Status',                     es: 'Estado',                      pt: 'Situação' },
  order:            { en: 'Order',                      es: 'Pedido',                      pt: 'Pedido' },
  method:           { en: 'Payment method',             es: 'Medio de pago',               pt: 'Forma de pagamento' },
  validUntil:       { en: 'Valid until',                es: 'Válido hasta',                pt: 'Válido até' },
  howToPay:         { en: 'How to pay',                 es: 'Cómo pagar',                  pt: 'Como pagar' },
  chooseMethod:     { en: 'Choose how to pay',          es: 'Elige cómo pagar',            pt: 'Escolha como pagar' },
  qrCode:           { en: 'QR code of this payment',    es: 'Código QR de este pago',      pt: 'QR Code deste pagamento' },
  barcode:          { en: 'Barcode of this payment',    es: 'Código de barras de este pago', pt: 'Código de barras deste pagamento' },
  copy:             { en: 'Copy',                       es: 'Copiar',                      pt: 'Copiar' },
  copied:           { en: 'Copied',                     es: 'Copiado',                     pt: 'Copiado' },
  pay:              { en: 'Pay',                        es: 'Pagar',                       pt: 'Pagar' },
  forTesting:       { en: 'For testing',                es: 'Para pruebas',                pt: 'Para testes' },
  submit:           { en: 'Continue, pay later',        es: 'Continuar y pagar después',   pt: 'Continuar e pagar depois' },
  refuse:           { en: 'Refuse',                     es: 'Rechazar',                    pt: 'Recusar' },
  cancel:           { en: 'Cancel',                     es: 'Cancelar',                    pt: 'Cancelar' },
  returnToShop:     { en: 'Return to the shop',         es: 'Volver a la tienda',          pt: 'Voltar à loja' },
  nameAccount:      { en: 'Say where your refund goes', es: 'Di adónde va tu reembolso',   pt: 'Diga para onde vai o seu reembolso' },
  refund:           { en: 'Refund',                     es: 'Reembolso',                   pt: 'Reembolso' },
  answerUntil:      { en: 'Answer until',               es: 'Responde hasta',              pt: 'Responda até' },
  yourClabe:        { en: 'Your CLABE',                 es: 'Tu CLABE',                    pt: 'Sua CLABE' },
  yourAccount:      { en: 'Your account number or Pix key', es: 'Tu número de cuenta o clave Pix', pt: 'O número da sua conta ou chave Pix' },
  confirm:          { en: 'Confirm',                    es: 'Confirmar',                   pt: 'Confirmar' },
  decline:          { en: 'I do not want it',           es: 'No lo quiero',                pt: 'Não quero' },
} as const satisfies Record<string, Text>;

// biome-ignore format: a table, a text a line
/** Whole sentences. */
export const sentences = {
  simulated:        { en: 'Simulated payment gateway: no money moves here.', es: 'Pasarela de pago simulada: aquí no se mueve dinero.', pt: 'Gateway de pagamento simulado: aqui nenhum dinheiro se move.' },
  tooLate:          { en: 'That is no longer possible: see the status.', es: 'Eso ya no es posible: mira el estado.', pt: 'Isso já não é possível: veja a situação.' },
  accountMissing:   { en: 'Say which account the money goes to.', es: 'Di a qué cuenta va el dinero.', pt: 'Diga para qual conta vai o dinheiro.' },
  clabeWrong:       { en: 'A CLABE has 18 digits, and the last one checks the others: look for a mistake.', es: 'Una CLABE tiene 18 dígitos, y el último comprueba los otros: busca el error.', pt: 'Uma CLABE tem 18 dígitos, e o último confere os outros: procure o erro.' },
} as const satisfies Record<string, Text>;

/** Why there is no page to show: its title, and a sentence for a person. */
export interface ProblemText {
  title: Text;
  sentence: Text;
}

// biome-ignore format: a table, a text a line
/** Why a buyer sees no page. */
export const problems = {
  noPayment: {
    title:    { en: 'No such payment', es: 'No existe el pago', pt: 'Pagamento inexistente' },
    sentence: { en: 'There is no payment with this number.', es: 'No hay ningún pago con este número.', pt: 'Não há pagamento com este número.' },
  },
  noQrCode: {
    title:    { en: 'No QR code', es: 'Sin código QR', pt: 'Sem QR Code' },
    sentence: { en: 'This payment has no QR code.', es: 'Este pago no tiene código QR.', pt: 'Este pagamento não tem QR Code.' },
  },
  noRefund: {
    title:    { en: 'No such refund', es: 'No existe el reembolso', pt: 'Reembolso inexistente' },
    sentence: { en: 'There is no refund with this number.', es: 'No hay ningún reembolso con este número.', pt: 'Não há reembolso com este número.' },
  },
  noBank: {
    title:    { en: 'No such bank', es: 'No existe el banco', pt: 'Banco inexistente' },
    sentence: { en: 'There is no bank with this number.', es: 'No hay ningún banco con este número.', pt: 'Não há banco com este número.' },
  },
  noButton: {
    title:    { en: 'No such button', es: 'No existe el botón', pt: 'Botão inexistente' },
    sentence: { en: 'This page has no such button.', es: 'Esta página no tiene ese botón.', pt: 'Esta página não tem esse botão.' },
  },
  notFromHere: {
    title:    { en: 'Not from here', es: 'No desde aquí', pt: 'Não é daqui' },
    sentence: { en: 'This button was not pressed on the page itself. Open the page again, and press it there.', es: 'Este botón no se pulsó en la página misma. Abre la página de nuevo y púlsalo allí.', pt: 'Este botão não foi clicado na própria página. Abra a página de novo e clique nele lá.' },
  },
} as const satisfies Record<string, ProblemText>;

/** A state in labels, and whether it is good or bad news. */
export type StateText = Text & { readonly tone?: 'good' | 'bad' };

// biome-ignore format: a table, a text a line
/** What each state means to the buyer. A refund has the states of its trade. */
export const stateTexts: Readonly<Record<TradeState, StateText>> = {
  INITIAL:             { en: 'Waiting for you',                 es: 'Pendiente',                             pt: 'Pendente' },
  PROCESSING:          { en: 'Waiting for your payment',        es: 'Esperando tu pago',                     pt: 'Aguardando o seu pagamento' },
  SUCCESS:             { en: 'Paid',                            es: 'Pagado',                                pt: 'Pago', tone: 'good' },
  CANCEL:              { en: 'Cancelled',                       es: 'Cancelado',                             pt: 'Cancelado', tone: 'bad' },
  EXPIRED:             { en: 'Expired',                         es: 'Vencido',                               pt: 'Vencido', tone: 'bad' },
  REFUSED:             { en: 'Refused',                         es: 'Rechazado',                             pt: 'Recusado', tone: 'bad' },
  RISK_CONTROLLING:    { en: 'Being checked',                   es: 'En revisión',                           pt: 'Em análise' },
  DISPUTE:             { en: 'Disputed',                        es: 'En disputa',                            pt: 'Em disputa' },
  CHARGEBACK:          { en: 'Taken back by the bank',          es: 'Devuelto por el banco (contracargo)',   pt: 'Devolvido pelo banco (chargeback)' },
  CHARGEBACK_REVERSED: { en: 'Chargeback reversed',             es: 'Contracargo revertido',                 pt: 'Chargeback revertido' },
  REFUND_VERIFYING:    { en: 'Refund: waiting for the account', es: 'Reembolso: esperando la cuenta',        pt: 'Reembolso: aguardando a conta' },
  REFUND_PROCESSING:   { en: 'Refund: on its way',              es: 'Reembolso: en camino',                  pt: 'Reembolso: a caminho' },
  REFUNDED:            { en: 'Refunded',                        es: 'Reembolsado',                           pt: 'Reembolsado', tone: 'good' },
  PARTIAL_REFUND:      { en: 'Refunded in part',                es: 'Reembolsado en parte',                  pt: 'Reembolsado em parte', tone: 'good' },
  REFUND_REFUSED:      { en: 'Refund: refused by the bank',     es: 'Reembolso: rechazado por el banco',     pt: 'Reembolso: recusado pelo banco', tone: 'bad' },
  REFUND_REVOKE:       { en: 'Refund: revoked',                 es: 'Reembolso: revocado',                   pt: 'Reembolso: cancelado', tone: 'bad' },
};

const everywhere = (name: string): Text => ({ en: name, es: name, pt: name });

// biome-ignore format: a table, a text a line
/** The payment methods, as people write them. */
export const methodTexts: Readonly<Record<MethodName, Text>> = {
  PIX:            everywhere('Pix'),
  Boleto:         everywhere('Boleto'),
  Lottery:        { en: 'Lottery shop',         es: 'Casa de lotería',         pt: 'Casa lotérica' },
  DepositExpress: { en: 'Bank deposit',         es: 'Depósito bancario',       pt: 'Depósito bancário' },
  OpenFinance:    everywhere('Open Finance'),
  SPEI:           everywhere('SPEI'),
  OXXO:           everywhere('OXXO'),
  OXXOPay:        everywhere('OXXO Pay'),
  CoDi:           everywhere('CoDi'),
  Cash:           { en: 'Cash',                 es: 'Efectivo',                pt: 'Dinheiro' },
  PSE:            everywhere('PSE'),
  Efecty:         everywhere('Efecty'),
  BankTransfer:   { en: 'Bank transfer',        es: 'Transferencia bancaria',  pt: 'Transferência bancária' },
  BNCR:           everywhere('Banco Nacional de Costa Rica'),
  Khipu:          everywhere('Khipu'),
  Pago46:         everywhere('Pago46'),
  CreditCard:     { en: 'Credit card',          es: 'Tarjeta de crédito',      pt: 'Cartão de crédito' },
  Wallet:         { en: 'Digital wallet',       es: 'Billetera digital',       pt: 'Carteira digital' },
};

/** What the page calls a code that the buyer needs, and whether the buyer copies it. */
export type CodeText = Text & { readonly copied?: true };

// biome-ignore format: a table, a text a line
/** The payment data that a buyer reads or copies, in this order. Others are drawn, or are addresses. */
export const codeTexts = {
  qr_code:                 { en: 'Pix copy and paste code', es: 'Código Pix para copiar y pegar', pt: 'Pix copia e cola', copied: true },
  bank_code:               { en: 'Line of digits',          es: 'Línea de dígitos',               pt: 'Linha digitável', copied: true },
  clabe:                   { en: 'CLABE',                   es: 'CLABE',                          pt: 'CLABE', copied: true },
  reference:               { en: 'Reference',               es: 'Referencia',                     pt: 'Referência', copied: true },
  bank_name:               { en: 'Bank',                    es: 'Banco',                          pt: 'Banco' },
  beneficiary_name:        { en: 'Beneficiary',             es: 'Beneficiario',                   pt: 'Beneficiário' },
  provider_owner:          { en: 'Account holder',          es: 'Titular de la cuenta',           pt: 'Titular da conta' },
  provider_owner_document: { en: 'Document of the holder',  es: 'Documento del titular',          pt: 'Documento do titular', copied: true },
  provider_agency:         { en: 'Branch',                  es: 'Agencia',                        pt: 'Agência', copied: true },
  provider_number:         { en: 'Account',                 es: 'Cuenta',                         pt: 'Conta', copied: true },
} as const satisfies Partial<Record<PaymentField, CodeText>>;
