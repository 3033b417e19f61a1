import { expect, test } from 'vitest'
import { example, refusal } from '../example.ts'

test('the example reads a request, answers it, and names the field of a bad one', () => {
  const { turn, ignored, whole, streamed } = example()
  expect(turn).toEqual({ text: 'Is VM 103 running?', wishes: 'Answer in one word.' })
  expect(ignored).toEqual(['temperature'])
  expect(whole).toBe('Yes.')
  expect(streamed.map((chunk) => JSON.parse(chunk).choices[0].delta)).toEqual([
    { role: 'assistant', content: '' },
    { content: 'Yes.' },
  ])
  expect(refusal({ model: 'jarvis', messages: [{ role: 'user', content: 'a' }], n: 2 })).toEqual({
    status: 400,
    param: 'n',
  })
})
