/** The address where the buyer of a checkout pays, with the merchant's way back (rule 1 of section 4.2). */
import { withReturnUrl } from '../../src/gateway';

describe('withReturnUrl: rule 1 of section 4.2', () => {
  const back = 'https://shop.example.com/back?cart=1&step=é';
  const encoded = 'return_url=https%3A%2F%2Fshop.example.com%2Fback%3Fcart%3D1%26step%3D%C3%A9';

  test.each([
    ['behind the trade’s number', 'https://pay.example/c?trade_no=7', `https://pay.example/c?trade_no=7&${encoded}`],
    ['as the only parameter', 'https://pay.example/c', `https://pay.example/c?${encoded}`],
    [
      'in place of one that is there',
      'https://pay.example/c?return_url=x&trade_no=7',
      `https://pay.example/c?trade_no=7&${encoded}`,
    ],
    [
      'in place of the last one',
      'https://pay.example/c?trade_no=7&return_url=x',
      `https://pay.example/c?trade_no=7&${encoded}`,
    ],
    [
      'beside one of a similar name',
      'https://pay.example/c?no_return_url=x',
      `https://pay.example/c?no_return_url=x&${encoded}`,
    ],
    [
      'before the fragment, where it would not be a parameter',
      'https://pay.example/c?t=7#/pay',
      `https://pay.example/c?t=7&${encoded}#/pay`,
    ],
  ])('%s', (_, web_url, expected) => expect(withReturnUrl(web_url, back)).toBe(expected));

  test('keeps the other parameters unchanged', () => {
    const web_url = 'https://pay.example/c?prepay_id=a%2Fb+c==-79e50';
    expect(withReturnUrl(web_url, back)).toBe(`${web_url}&${encoded}`);
  });

  test('the gateway reads the given address back', () => {
    expect(new URL(withReturnUrl('https://pay.example/c?trade_no=7', back)).searchParams.get('return_url')).toBe(back);
  });

  test.each([
    ['https://pay.example/c', '/back'],
    ['/c?trade_no=7', back],
  ])('throws for an address that is not absolute: %s, %s', (web_url, return_url) => {
    expect(() => withReturnUrl(web_url, return_url)).toThrow('Invalid URL');
  });
});
