import { expect, test } from 'vitest'
import { meantAddress } from './address.ts'

test.each([
  ['localhost:11434/v1', 'http://localhost:11434/v1'],
  ['localhost', 'http://localhost'],
  ['gpu/v1', 'http://gpu/v1'],
  ['192.168.1.20:1234/v1', 'http://192.168.1.20:1234/v1'],
  ['172.32.0.1/v1', 'https://172.32.0.1/v1'],
  ['[fd00::2]:8080/v1', 'http://[fd00::2]:8080/v1'],
  ['llm.lan/v1', 'http://llm.lan/v1'],
  ['openrouter.ai/api/v1', 'https://openrouter.ai/api/v1'],
  ['http://localhost/v1', undefined],
  ['ftp://localhost', undefined],
  ['me:secret@host/v1', undefined],
  ['sk-proj-0123456789', undefined],
  ['my server', undefined],
  ['', undefined],
])('by %j is meant %j', (text, meant) => {
  expect(meantAddress(text)).toBe(meant)
})
