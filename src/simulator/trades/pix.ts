/** What a merchant's PIX code contains. */
interface PixTerms {
  /** The receiver's key. */
  key: string;
  /** A decimal text with two decimals. */
  amount: string;
  receiver: string;
  city: string;
  /** 1 to 25 letters and digits. */
  txid: string;
}

/** A PIX "BR Code": EMV fields of tag, length and value, with a checksum of all of them. */
export function pixCode({ key, amount, receiver, city, txid }: PixTerms): string {
  const fields = [
    emvField('00', '01'),
    emvField('26', emvField('00', 'br.gov.bcb.pix') + emvField('01', key)),
    emvField('52', '0000'),
    emvField('53', '986'),
    emvField('54', amount),
    emvField('58', 'BR'),
    emvField('59', receiver.slice(0, 25)),
    emvField('60', city.slice(0, 15)),
    emvField('62', emvField('05', txid)),
  ].join('');
  // The checksum includes its own tag and length.
  const checked = `${fields}6304`;
  return checked + crc16(checked);
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

function emvField(tag: string, value: string): string {
  return tag + String(value.length).padStart(2, '0') + value;
}
