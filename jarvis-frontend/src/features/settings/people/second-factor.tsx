import type { Factors, SecondFactorOffer } from 'protocol'
import { useState } from 'react'
import {
  confirmSecondFactor,
  offerSecondFactor,
  removeSecondFactor,
  renewRecoveryCodes,
} from '../../../api/second-factor.ts'
import { plural } from '../../../lib/format.ts'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { Mark } from '../../../ui/mark.tsx'
import { QrCode } from '../../../ui/qr-code.tsx'
import { FormProblem } from '../form-problem.tsx'
import { TwoStep } from './two-step.tsx'
import { useAttempt } from './use-attempt.ts'

/** If this number of recovery codes or fewer is left, the page suggests new ones. */
const few = 3

/** This person's second factor: the codes of an app, and the recovery codes. */
export function SecondFactor({
  factors: { totp, totpLocked, recoveryCodesLeft },
  isResting,
  onChanged,
}: {
  factors: Factors
  isResting: boolean
  onChanged: () => void
}) {
  const { problem, isBusy, attempt } = useAttempt()
  const [offer, setOffer] = useState<SecondFactorOffer>()
  const [codes, setCodes] = useState<readonly string[]>()
  const isHeld = isResting || isBusy
  const begin = () => void attempt(async () => setOffer(await offerSecondFactor()))
  const confirm = async (code: string) => {
    const isDone = await attempt(async () => setCodes(await confirmSecondFactor(code)))
    if (!isDone) return
    setOffer(undefined)
    onChanged()
  }
  const change = (work: () => Promise<unknown>) => void attempt(work).then((isDone) => isDone && onChanged())
  return (
    <>
      {codes !== undefined && <Codes codes={codes} onKept={() => setCodes(undefined)} />}
      {offer !== undefined ? (
        <Offer
          offer={offer}
          isResting={isHeld}
          onCode={(code) => void confirm(code)}
          onLeave={() => setOffer(undefined)}
        />
      ) : totp ? (
        <div className="fact-line">
          <span>
            <Mark kind={totpLocked ? 'bad' : recoveryCodesLeft < few ? 'warn' : 'ok'} size={11} />{' '}
            {totpLocked
              ? 'Locked after wrong codes: a recovery code or a passkey at the next sign-in opens it again.'
              : 'On: beside your password JARVIS asks for a code of your app.'}{' '}
            {plural(recoveryCodesLeft, 'recovery code')} left.
          </span>
          <span className="two-acts">
            <TwoStep
              act="Replace"
              object="the recovery codes"
              isResting={isHeld}
              onDo={() => change(async () => setCodes(await renewRecoveryCodes()))}
            />
            <TwoStep
              act="Turn off"
              object="the second factor"
              isResting={isHeld}
              onDo={() =>
                change(async () => {
                  await removeSecondFactor()
                  setCodes(undefined)
                })
              }
            />
          </span>
        </div>
      ) : (
        <div className="fact-line">
          <span>Off: your password alone signs you in. An authenticator app on your phone makes the codes.</span>
          <button type="button" className="button" disabled={isHeld} onClick={begin}>
            Turn it on…
          </button>
        </div>
      )}
      <FormProblem text={problem} />
    </>
  )
}

function Offer({
  offer: { secret, uri },
  isResting,
  onCode,
  onLeave,
}: {
  offer: SecondFactorOffer
  isResting: boolean
  onCode: (code: string) => void
  onLeave: () => void
}) {
  return (
    <div className="totp">
      <QrCode text={uri} label="QR code of the secret, for an authenticator app" />
      <div>
        <p>Scan this with an authenticator app, or type the secret into it:</p>
        <p className="seed">
          <code>{secret.replace(/(.{4})(?=.)/g, '$1 ')}</code>
          <CopyButton text={secret} label="Copy the secret" />
        </p>
        <form
          className="form-row"
          aria-label="Turn the second factor on"
          onSubmit={(event) => {
            event.preventDefault()
            if (!isResting) onCode(String(new FormData(event.currentTarget).get('code') ?? ''))
          }}
        >
          <label>
            The code that it shows
            <input
              className="field mono"
              name="code"
              required
              inputMode="numeric"
              autoComplete="one-time-code"
              maxLength={10}
              // biome-ignore lint/a11y/noAutofocus: a person has just asked for it
              autoFocus
            />
          </label>
          <button type="submit" className="button solid" disabled={isResting}>
            Turn it on
          </button>
          <button type="button" className="button" onClick={onLeave}>
            Leave it off
          </button>
        </form>
      </div>
    </div>
  )
}

/** The recovery codes, which are shown this once. */
function Codes({ codes, onKept }: { codes: readonly string[]; onKept: () => void }) {
  const text = codes.join('\n')
  return (
    <div className="strip once" role="status">
      <span>
        <b>Recovery codes: keep them now, they are not shown again.</b>
        <span className="text-soft">Without your phone each signs you in once. Keep them apart from it.</span>
        <code>{text}</code>
      </span>
      <CopyButton text={text} label="Copy the recovery codes" />
      <button type="button" className="button small" onClick={onKept}>
        I have them
      </button>
    </div>
  )
}
