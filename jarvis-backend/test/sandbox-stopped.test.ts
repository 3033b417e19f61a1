import { startInCell } from 'sandbox/start'
import { expect } from 'vitest'
import { testWith } from '../../scripts/test-with.js'
import { every } from './support/real-time.ts'

testWith('bubblewrap')(
  'a program that is told to end before it runs has ended, and did not fail to start',
  async () => {
    const ends = new Set<string>()
    for (let round = 0; round < 20; round++) {
      const started = startInCell({ binds: [], cwd: '/tmp' }, ['/bin/sleep', '60'])
      started.stdout.resume()
      started.stderr.resume()
      // Each step of the sandbox's start is hit by one of these.
      const stopTelling = every(0, started.terminate)
      ends.add((await started.ended).kind)
      stopTelling()
    }
    expect([...ends]).toEqual(['ended'])
  },
)
