import { BaseSequencer } from 'vitest/node'

/** Files that take the longest for their size, the longest first: one of them at the end would leave a core idle. */
const longest = [
  'jarvis-frontend/test/scroll.test.ts',
  'jarvis-backend/test/browser-pages.test.ts',
  'jarvis-backend/test/crash.test.ts',
  'jarvis-frontend/test/cards.test.ts',
  'jarvis-backend/test/browser-axe.test.ts',
  'jarvis-backend/test/redaction.test.ts',
  'jarvis-backend/test/browser-settings.test.ts',
  'jarvis-backend/test/browser-setup.test.ts',
  'jarvis-frontend/test/reconnect.test.ts',
  'jarvis-backend/test/every-tool.test.ts',
  'jarvis-backend/test/browser-demo.test.ts',
  'jarvis-backend/test/memory-kill.test.ts',
  'jarvis-backend/test/drill-crash.test.ts',
  'jarvis-frontend/test/changes.test.ts',
  'jarvis-backend/test/terminal.test.ts',
  'jarvis-backend/test/changes-crash.test.ts',
  'jarvis-frontend/test/typing.test.ts',
  'jarvis-backend/test/spoofing.test.ts',
  'jarvis-backend/test/mcp-stdio.test.ts',
  'jarvis-frontend/test/trusted.test.ts',
  'jarvis-backend/test/shutdown.test.ts',
  'jarvis-backend/test/isolation.test.ts',
  'jarvis-backend/test/skips.test.ts',
]
const rank = ({ moduleId }) => longest.findIndex((path) => moduleId.endsWith(path))

/** Starts these files before the others, which keep Vitest's order: by their last duration, else by their size. */
export class LongestFirst extends BaseSequencer {
  async sort(files) {
    const sorted = await super.sort(files)
    const [first, rest] = [sorted.filter((file) => rank(file) >= 0), sorted.filter((file) => rank(file) < 0)]
    return [...first.sort((a, b) => rank(a) - rank(b)), ...rest]
  }
}
