import { BaseSequencer } from 'vitest/node'

/** Files that take the longest, the longest first: one of them at the end would leave a core idle, and many are short to read. */
const longest = [
  'jarvis-backend/test/jobs-crash.test.ts',
  'jarvis-backend/test/browser-axe.test.ts',
  'jarvis-backend/test/proxmox.test.ts',
  'jarvis-frontend/test/scroll.test.ts',
  'jarvis-backend/test/plans-crash.test.ts',
  'jarvis-backend/test/browser-pages.test.ts',
  'jarvis-backend/test/channel-crash.test.ts',
  'jarvis-backend/test/browser-rights.test.ts',
  'jarvis-backend/test/browser-cluster.test.ts',
  'jarvis-backend/test/browser-gate.test.ts',
  'jarvis-frontend/test/reconnect.test.ts',
  'jarvis-backend/test/memory-crash.test.ts',
  'jarvis-backend/test/crash.test.ts',
  'jarvis-backend/test/browser.test.ts',
  'jarvis-frontend/test/cards.test.ts',
  'jarvis-frontend/test/navigation.test.ts',
  'jarvis-frontend/test/stream.test.ts',
  'jarvis-backend/test/data-dir.test.ts',
  'jarvis-frontend/test/alerts.test.ts',
  'jarvis-backend/test/browser-settings.test.ts',
  'jarvis-backend/test/dojo.test.ts',
  'jarvis-backend/test/sandbox-escapes.test.ts',
  'jarvis-backend/test/terminal.test.ts',
  'jarvis-backend/test/browser-setup.test.ts',
  'jarvis-backend/src/homelab/changes.test.ts',
  'jarvis-backend/test/limits.test.ts',
  'jarvis-backend/test/every-tool.test.ts',
  'jarvis-frontend/test/automations.test.ts',
  'jarvis-frontend/test/guest.test.ts',
  'jarvis-backend/test/samples.test.ts',
  'jarvis-backend/test/redaction.test.ts',
  'jarvis-backend/test/memory-quality.test.ts',
  'jarvis-frontend/test/pages.test.ts',
  'jarvis-backend/test/prompt-cache.test.ts',
  'jarvis-backend/test/browser-sessions.test.ts',
  'jarvis-backend/test/changes-crash.test.ts',
  'jarvis-backend/test/network-timers.test.ts',
  'jarvis-backend/test/browser-runbooks.test.ts',
  'jarvis-frontend/test/plans.test.ts',
  'jarvis-backend/test/pve-api.test.ts',
  'jarvis-backend/src/redaction/redact.test.ts',
  'jarvis-backend/test/journal-segments.test.ts',
  'jarvis-backend/test/browser-console.test.ts',
  'jarvis-backend/test/plan-stops.test.ts',
  'jarvis-backend/test/oauth-browser.test.ts',
  'jarvis-backend/test/ssh-gate.test.ts',
  'jarvis-backend/test/ssh-argv.test.ts',
  'jarvis-backend/test/drill.test.ts',
  'jarvis-backend/test/network-change.test.ts',
  'packages/sentence-encoder/src/sentence-encoder.test.ts',
  'jarvis-backend/test/policy-replay.test.ts',
  'jarvis-backend/test/drill-crash.test.ts',
  'jarvis-backend/test/browser-demo.test.ts',
  'jarvis-backend/test/attached-faults.test.ts',
  'jarvis-backend/test/proxmox-transport.test.ts',
  'jarvis-backend/test/watch.test.ts',
  'jarvis-backend/test/doctored.test.ts',
  'jarvis-backend/test/proxmox-jarvis.test.ts',
  'jarvis-backend/test/ssh-tool.test.ts',
  'jarvis-backend/test/hooks.test.ts',
  'jarvis-backend/test/approval-afresh.test.ts',
  'jarvis-frontend/test/unknown.test.ts',
  'jarvis-backend/test/oauth-documents.test.ts',
  'jarvis-backend/test/oauth-sdk.test.ts',
  'jarvis-frontend/test/trusted.test.ts',
  'jarvis-backend/test/bad-input.test.ts',
  'jarvis-backend/test/restart-rest.test.ts',
]
/** Also those that start programs or a browser, where the list does not name them yet. */
const slow = /(?:-crash|\/browser[\w-]*|\/jarvis-frontend\/test\/[\w-]+)\.test\.ts$/

function rank({ moduleId }) {
  const at = longest.findIndex((path) => moduleId.endsWith(path))
  if (at >= 0) return at
  return slow.test(moduleId) ? longest.length : -1
}

/** Starts these files before the others, which keep Vitest's order: by their last duration, else by their size. */
export class LongestFirst extends BaseSequencer {
  async sort(files) {
    const sorted = await super.sort(files)
    const [first, rest] = [sorted.filter((file) => rank(file) >= 0), sorted.filter((file) => rank(file) < 0)]
    return [...first.sort((a, b) => rank(a) - rank(b)), ...rest]
  }
}
