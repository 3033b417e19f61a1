import { expect, test } from 'vitest'
import { localEmbedder } from './local.ts'

test('a model that cannot be loaded is a fault with a code, and an aborted call keeps its own reason', async () => {
  const { embed } = localEmbedder('/nowhere')
  await expect(embed(['x'], new AbortController().signal)).rejects.toMatchObject({
    code: 'internal',
    message: expect.stringMatching(/^The embedded model could not be used: ENOENT/),
  })
  const reason = new Error('No longer wanted.')
  await expect(embed(['x'], AbortSignal.abort(reason))).rejects.toBe(reason)
})
