import { expect, test } from 'vitest'
import { pictureFacts } from './picture.ts'

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')
const size = { widthPx: 640, heightPx: 480 }

test.each([
  ['PNG', '89504e470d0a1a0a 0000000d 49484452 00000280 000001e0', { mimeType: 'image/png', ...size }],
  ['GIF', '474946383961 8002 e001', { mimeType: 'image/gif', ...size }],
  [
    'a JPEG behind other segments',
    `ffd8 ffe0 0006 4a464946 ffff dbff db0003 00 ffc2 0011 08 01e0 0280 03`.replace(
      'ffff dbff db0003 00',
      'ffff db 0003 00',
    ),
    { mimeType: 'image/jpeg', ...size },
  ],
  [
    'a lossy WebP',
    '52494646 00000000 57454250 56503820 00000000 000000 9d012a 8002 e001',
    { mimeType: 'image/webp', ...size },
  ],
  ['a lossless WebP', '52494646 00000000 57454250 5650384c 00000000 2f 7fc27700', { mimeType: 'image/webp', ...size }],
  [
    'an extended WebP',
    '52494646 00000000 57454250 56503858 0a000000 00000000 7f0200 df0100',
    { mimeType: 'image/webp', ...size },
  ],
  ['a PNG that ends in its header', '89504e470d0a1a0a 0000', { mimeType: 'image/png' }],
  ['a JPEG that never begins a frame', 'ffd8ff e0 0002', { mimeType: 'image/jpeg' }],
  ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg">').toString('hex'), undefined],
  ['nothing', '', undefined],
])('the header of %s tells its type and size', (_name, bytes, facts) => {
  expect(pictureFacts(hex(bytes))).toEqual(facts)
})
