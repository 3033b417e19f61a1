import { type Around, listen } from './listen.ts'
import { watchPuts } from './put-steps.ts'

/** A server that reaches `before put NAME` and `after put NAME` as a file takes its place. */
export async function serveWorkbench({ dataDir }: { dataDir: string }, around: Around) {
  const unwatch = watchPuts(around.reach)
  try {
    const served = await listen(around, dataDir, {})
    return {
      ...served,
      async stop() {
        unwatch()
        await served.stop()
      },
    }
  } catch (error) {
    unwatch()
    throw error
  }
}
