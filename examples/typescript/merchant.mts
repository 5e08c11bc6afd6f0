import { connectPayments, isSold } from 'temporal-payment-gateway/client';

const { payments, close } = await connectPayments();
const out_trade_no = process.argv[2] ?? 'order-1'; // the same number again is the same payment: nobody pays twice
const price = { method: 'PIX', order_currency: 'BRL', order_amount: '150.00', timeout_express: '90m' };
const buyer = { buyer_id: 'buyer-1', customer: { name: 'Mariana Souza Lima' } };

const { pay_url } = await payments.pay({ out_trade_no, subject: 'Two tickets', ...price, ...buyer });
if (pay_url) console.log(`The buyer pays here: ${pay_url}`);
else console.log('Nothing to pay with: refused, or its answer got lost. Once it ends unsold, sell under a new number.');

const end = await payments.outcome(out_trade_no); // minutes or days later; ask again after a restart
if (isSold(end)) console.log('Paid: deliver the tickets.');
else if (end.attention) console.log(`Not yet, a person decides first: ${end.attention}`);
else console.log(`Not sold: it ended as ${end.outcome}, and shows ${end.trade_status} now`);
await close();
