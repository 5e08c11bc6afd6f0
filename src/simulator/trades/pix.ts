/** What a PIX code of a merchant says. */
export interface PixCode {
  /** The receiver's key. */
  key: string;
  /** Two decimals, without a currency sign. */
  amount: string;
  receiver: string;
  city: string;
  /** 1 to 25 letters and digits. */
  txid: string;
}

/** A PIX "BR Code": EMV fields, each tag, length, value, with a checksum over all of them. */
export function pixCode({ key, amount, receiver, city, txid }: PixCode): string {
  const fields = [
    field('00', '01'),
    field('26', field('00', 'br.gov.bcb.pix') + field('01', key)),
    field('52', '0000'),
    field('53', '986'),
    field('54', amount),
    field('58', 'BR'),
    field('59', receiver.slice(0, 25)),
    field('60', city.slice(0, 15)),
    field('62', field('05', txid)),
  ].join('');
  // The checksum covers its own tag and length too.
  const covered = `${fields}6304`;
  return covered + crc16(covered);
}

/** CRC-16/CCITT-FALSE (polynomial 1021, start FFFF) as four upper-case hex digits. */
export function crc16(text: string): string {
  let crc = 0xffff;
  for (const byte of Buffer.from(text, 'utf8')) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff;
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}

function field(tag: string, value: string): string {
  return tag + String(value.length).padStart(2, '0') + value;
}
