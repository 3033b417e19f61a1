import { expect, test } from 'vitest'
import { keyPlaceholder, keyWords } from './key-words.ts'

test.each([
  [{}, 'no key', 'needed'],
  [{ keyEnd: '' }, 'key kept', 'kept'],
  [{ keyEnd: 'wxyz' }, 'key ends in wxyz', 'kept, ends in wxyz'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the name of a key can be a variable
  [{ keyEnd: '', keyName: '${GPU_KEY}' }, 'key ${GPU_KEY}', 'kept, key ${GPU_KEY}'],
])('%j', (key, words, placeholder) => {
  expect(keyWords(key)).toBe(words)
  expect(keyPlaceholder(key, 'needed')).toBe(placeholder)
})
