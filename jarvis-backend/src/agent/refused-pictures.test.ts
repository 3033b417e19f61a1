import { expect, test } from 'vitest'
import { pngOf } from '../../test/support/pictures.ts'
import type { Message } from './model.ts'
import { refusedPictures } from './refused-pictures.ts'

const picture = (id: string, widthPx: number, bytes: number) => ({
  id,
  mimeType: 'image/png' as const,
  data: pngOf(widthPx, 10, bytes),
})
const messages: Message[] = [
  { role: 'user', results: [], text: 'Look', images: [picture('wide', 2_400, 100), picture('large', 100, 4_000)] },
  { role: 'assistant', content: [{ type: 'text', text: 'I see.' }] },
  { role: 'user', results: [], text: 'And?', images: [picture('last', 300, 100)] },
  { role: 'assistant', content: [{ type: 'text', text: 'I see.' }] },
  { role: 'user', results: [], text: 'So?' },
]

test('a refusal is about the pictures past its limit, else about those that came last', () => {
  const about = (said: string) => refusedPictures(said, messages)
  expect(about('the image dimensions exceed max allowed size for many-image requests: 2000 pixels')).toEqual(['wide'])
  expect(about('image exceeds 5 kB maximum: 5,336 bytes > 5,120 bytes')).toEqual(['large'])
  expect(about('image dimensions exceed max allowed size: 8000 pixels')).toEqual(['last'])
  expect(about('Could not process image')).toEqual(['last'])
  expect(refusedPictures('Could not process image', messages.slice(3))).toEqual([])
})
