import { createServer } from 'node:net'
import { test } from 'vitest'

test('leaves a port open', async () => {
  const server = createServer()
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
})
