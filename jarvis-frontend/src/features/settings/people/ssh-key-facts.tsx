import type { SshKeyInfo } from 'protocol'
import { ago, exactTime } from '../../../lib/format.ts'
import { Visible } from '../../../ui/boxed.tsx'
import { KeyMark } from '../../../ui/key-mark.tsx'
import { useNow } from '../../../ui/use-now.ts'

/** A row of an SSH key: name, date added, last use, fingerprint. */
export function SshKeyFacts({ sshKey: { id, name, createdAt, lastUsedAt } }: { sshKey: SshKeyInfo }) {
  const now = useNow(60_000)
  return (
    <>
      <KeyMark />
      <span>
        <Visible text={name} />
        <small>added {exactTime(createdAt)}</small>
      </span>
      <span className="text-soft">
        {lastUsedAt === undefined ? 'never used' : `used ${ago(lastUsedAt, now)}`}
        <small>{id}</small>
      </span>
    </>
  )
}
