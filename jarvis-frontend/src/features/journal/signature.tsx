import { useEffect, useState } from 'react'
import { useNameOf } from '../../api/names.ts'
import { exactTime } from '../../lib/format.ts'
import { grouped } from '../../lib/grouped.ts'
import { Visible } from '../../ui/boxed.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { KeyMark } from '../../ui/key-mark.tsx'
import { Mark } from '../../ui/mark.tsx'
import { type Checked, checkReceipt, fingerprintOf, type Receipt, statementIn } from './check-receipt.ts'

const kinds: Record<string, string> = {
  passkey: 'a passkey',
  ssh: 'an SSH key',
  device: 'the key of a device, by a button of its notification',
}

/** Shows one signature of the journal: the signed statement, the key, and the result of the check. */
export function Signature({ receipt }: { receipt: Receipt }) {
  const nameOf = useNameOf()
  const [checked, setChecked] = useState<Checked>()
  const [fingerprint, setFingerprint] = useState<string>()
  useEffect(() => {
    let isGone = false
    void checkReceipt(receipt).then((found) => !isGone && setChecked(found))
    void fingerprintOf(receipt).then((found) => !isGone && setFingerprint(found))
    return () => {
      isGone = true
    }
  }, [receipt])
  const said = statementIn(receipt)
  const { sentence, toolName } = receipt.card as { sentence?: string; toolName?: string }
  return (
    <section className="signature" aria-label="Signature">
      <p>
        <KeyMark />
        <b>{said === undefined ? 'Signed' : <Visible text={`${nameOf(said.person)} signed: ${said.decision}`} />}</b>{' '}
        with {kinds[receipt.type] ?? 'a key'}
      </p>
      <dl>
        <dt>What</dt>
        <dd>
          <Visible text={String(sentence ?? toolName ?? 'unknown')} />
        </dd>
        <dt>Key</dt>
        <dd className="mono">
          <Visible text={receipt.type === 'ssh' ? receipt.id : (fingerprint ?? receipt.id)} />
        </dd>
        {said !== undefined && (
          <>
            <dt>Where</dt>
            <dd>
              <Visible text={said.origin} />
            </dd>
            <dt>When</dt>
            <dd>
              after entry {grouped(said.head.seq)}, before {exactTime(said.expiresAt)}
            </dd>
          </>
        )}
        <dt>Check</dt>
        <dd>
          <span role="status">
            <Verdict checked={checked} />
          </span>
        </dd>
      </dl>
      <details>
        <summary>The exact text</summary>
        <pre>
          <Visible text={receipt.statement} />
        </pre>
        <CopyButton text={receipt.statement} label="Copy what was signed" />
      </details>
    </section>
  )
}

function Verdict({ checked }: { checked: Checked | undefined }) {
  if (checked === undefined) return 'Checking in this browser…'
  if (checked.is === 'unchecked')
    return (
      <>
        <Mark kind="unknown" size={11} /> This browser cannot check it. The server does: Verify now, above.
      </>
    )
  if (checked.is === 'broken')
    return (
      <>
        <Mark kind="bad" size={11} /> Does not hold. {checked.why}
      </>
    )
  return (
    <>
      <Mark kind="ok" size={11} /> Holds, checked in this browser: card, text, address, verification of the person, and
      signature. That the key is enrolled, Verify now tells.
    </>
  )
}
