import type { ChannelInfo, ChannelPairing } from 'protocol'
import { useState } from 'react'
import { beginPairing, confirmPairing, endPairing } from '../../../api/channels.ts'
import { timeOfDay } from '../../../lib/format.ts'
import { Visible } from '../../../ui/boxed.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { Mark } from '../../../ui/mark.tsx'
import { QrCode } from '../../../ui/qr-code.tsx'
import { FormProblem } from '../form-problem.tsx'
import { useAttempt } from '../people/use-attempt.ts'

/** Pairs a phone: shows a code for one use, then asks the person to confirm the number of the phone that used it. */
export function Pairings({
  channel: { id, name },
  pairings,
  isResting,
  onChanged,
}: {
  channel: ChannelInfo
  pairings: readonly ChannelPairing[]
  isResting: boolean
  onChanged: () => void
}) {
  const { problem, isBusy, attempt } = useAttempt()
  const [codes, setCodes] = useState<Record<string, { code: string; link?: string }>>({})
  const act = async (work: () => Promise<unknown>) => {
    await attempt(work)
    onChanged()
  }
  const begin = () =>
    act(async () => {
      const { id: pairing, code, link } = await beginPairing(id)
      setCodes((before) => ({ ...before, [pairing]: { code, link } }))
    })
  return (
    <>
      {pairings.map((pairing) => (
        <Waiting
          key={pairing.id}
          pairing={pairing}
          begun={codes[pairing.id]}
          isResting={isResting || isBusy}
          onConfirm={(user) => void act(() => confirmPairing(pairing.id, user))}
          onEnd={() => void act(() => endPairing(pairing.id))}
        />
      ))}
      <FormProblem text={problem} />
      <div className="person-acts">
        <button type="button" className="button small" disabled={isResting || isBusy} onClick={() => void begin()}>
          Pair your {name}…
        </button>
      </div>
    </>
  )
}

function Waiting({
  pairing: { expiresAt, opened },
  begun,
  isResting,
  onConfirm,
  onEnd,
}: {
  pairing: ChannelPairing
  begun: { code: string; link?: string } | undefined
  isResting: boolean
  onConfirm: (user: string) => void
  onEnd: () => void
}) {
  return (
    <div className="pairing">
      {begun !== undefined && opened === undefined && (
        <>
          {begun.link === undefined ? (
            <p>Send this to the bot:</p>
          ) : (
            <>
              <QrCode text={begun.link} label="QR code that opens the bot on a phone" size={132} />
              <p>
                Scan this, or open <a href={begun.link}>{begun.link}</a>, or send this to the bot:
              </p>
            </>
          )}
          <div className="strip once command">
            <pre>/start {begun.code}</pre>
            <CopyButton text={`/start ${begun.code}`} label="Copy the line" />
          </div>
        </>
      )}
      <p role="status">
        <Mark kind={opened === undefined ? 'unknown' : 'ok'} />
        {opened === undefined ? (
          `Waits for a phone. For one use, until ${timeOfDay(expiresAt)}.`
        ) : (
          <span>
            Opened at {timeOfDay(opened.at)}. Is this you? <Visible text={opened.name} />,{' '}
            <b className="num">{opened.user}</b>. A name can be chosen by anyone; the number cannot.
          </span>
        )}
      </p>
      <div className="person-acts">
        {opened !== undefined && (
          <button type="button" className="button small" disabled={isResting} onClick={() => onConfirm(opened.user)}>
            It is me
          </button>
        )}
        <button type="button" className="button small quiet" disabled={isResting} onClick={onEnd}>
          {opened === undefined ? 'End' : 'Not mine'}
        </button>
      </div>
    </div>
  )
}
