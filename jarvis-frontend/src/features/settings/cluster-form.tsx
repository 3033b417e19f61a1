import type { SetupClusterBody, SetupProbeReply, SetupReply, SetupTestReply } from 'protocol'
import { useState } from 'react'
import { call } from '../../api/http.ts'
import { exactTime } from '../../lib/format.ts'
import { Visible } from '../../ui/boxed.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Mark } from '../../ui/mark.tsx'
import { FormProblem } from './form-problem.tsx'
import { useAttempt } from './people/use-attempt.ts'
import { beyondBase, RightsChoices } from './rights-choices.tsx'
import { ToolRights } from './tool-rights.tsx'

/** Connects a cluster. The token is sent only after a person has accepted the cluster's certificate. */
export function ClusterForm({
  setup,
  saved,
  restart,
}: {
  setup: SetupReply
  saved: string | undefined
  /** The button beside the message that a restart is needed. */
  restart: React.ReactNode
}) {
  const [seen, setSeen] = useState<SetupProbeReply>()
  const [isAccepted, setAccepted] = useState(false)
  const [tested, setTested] = useState<{ cluster: SetupClusterBody; found: SetupTestReply }>()
  const [savedTo, setSavedTo] = useState<string>()
  const { problem, isBusy, attempt } = useAttempt()
  const forget = () => {
    setSeen(undefined)
    setAccepted(false)
    setTested(undefined)
    setSavedTo(undefined)
  }
  const look = (form: HTMLFormElement) =>
    attempt(async () => {
      forget()
      const url = String(new FormData(form).get('url')).trim()
      // A person may leave out the scheme.
      const shown = await call('POST /api/setup/probe', { body: { url: url.includes('://') ? url : `https://${url}` } })
      setSeen(shown)
      setAccepted(shown.isTrusted)
    })
  const test = (form: HTMLFormElement, { url, isTrusted, fingerprint }: SetupProbeReply) =>
    attempt(async () => {
      setTested(undefined)
      setSavedTo(undefined)
      const given = new FormData(form)
      const cluster = {
        urls: [url],
        tokenId: String(given.get('tokenId')).trim(),
        tokenSecret: String(given.get('tokenSecret')).trim(),
        fingerprints: isTrusted ? [] : [fingerprint],
      }
      setTested({ cluster, found: await call('POST /api/setup/test', { body: cluster }) })
    })
  const save = (cluster: SetupClusterBody) =>
    attempt(async () => setSavedTo((await call('POST /api/setup/save', { body: cluster })).savedTo))
  return (
    <>
      <form
        className="form-row"
        aria-label="Find the cluster"
        onSubmit={(event) => {
          event.preventDefault()
          void look(event.currentTarget)
        }}
      >
        <label className="flex-1">
          Address of a node
          <input
            className="field"
            name="url"
            required
            placeholder="https://192.168.1.10:8006"
            defaultValue={saved ?? setup.urls[0]}
            inputMode="url"
            autoComplete="off"
            onChange={forget}
          />
        </label>
        <button type="submit" className="button" aria-disabled={isBusy}>
          Look at it
        </button>
      </form>
      {seen !== undefined && <Certificate seen={seen} isAccepted={isAccepted} onAccept={() => setAccepted(true)} />}
      {seen !== undefined && isAccepted && (
        <>
          <p>In a shell of one node, as root, this makes a role, a user and a token that has just the rights needed:</p>
          <div className="strip once command">
            <pre>{setup.command}</pre>
            <CopyButton text={setup.command} label="Copy the command" />
          </div>
          {tested === undefined && <RightsChoices choices={setup.choices} words={beyondBase(setup)} />}
          <form
            className="form-row"
            aria-label="Try the token"
            onSubmit={(event) => {
              event.preventDefault()
              void test(event.currentTarget, seen)
            }}
          >
            <label>
              Token id
              <input
                className="field"
                name="tokenId"
                required
                defaultValue={setup.tokenId ?? 'jarvis@pve!jarvis'}
                autoComplete="off"
                onChange={() => setTested(undefined)}
              />
            </label>
            <label className="flex-1">
              Token secret
              <input
                className="field"
                name="tokenSecret"
                type="password"
                required
                autoComplete="new-password"
                onChange={() => setTested(undefined)}
              />
            </label>
            <button type="submit" className="button" aria-disabled={isBusy}>
              Try the token
            </button>
          </form>
        </>
      )}
      {tested !== undefined && <ToolRights found={tested.found} />}
      {tested?.found.tools !== undefined && savedTo === undefined && (
        <div className="form-row">
          <button type="button" className="button" aria-disabled={isBusy} onClick={() => void save(tested.cluster)}>
            Save this cluster
          </button>
        </div>
      )}
      {savedTo !== undefined && (
        <>
          <p className="form-problem" role="status">
            <Mark kind="ok" size={11} />
            <span>
              <b>Saved. Restart JARVIS to use it.</b> It stands in <code>{savedTo}</code>.
            </span>
          </p>
          {restart}
        </>
      )}
      <FormProblem text={problem} />
    </>
  )
}

/** The certificate of the address, for a person to compare. */
function Certificate({
  seen: { url, fingerprint, isTrusted, subject, validTo, version, node },
  isAccepted,
  onAccept,
}: {
  seen: SetupProbeReply
  isAccepted: boolean
  onAccept: () => void
}) {
  return (
    <div className="strip once">
      <Mark kind={isAccepted ? 'ok' : 'warn'} size={11} />
      <span>
        <b>
          {version === undefined ? (
            'This does not look like Proxmox VE.'
          ) : (
            <Visible text={`Proxmox VE ${version}${node === undefined ? '' : ` on ${node}`}`} />
          )}
        </b>
        <span className="text-soft">
          <Visible text={url} />, certificate of <Visible text={subject} />, valid until {exactTime(validTo)}
        </span>
        <code>{fingerprint}</code>
        <span className="text-soft">
          {isTrusted
            ? 'An authority that this machine trusts signed it.'
            : 'Compare it with what pvenode cert info says on the node.'}
        </span>
      </span>
      {!isAccepted && (
        <button type="button" className="button small" onClick={onAccept}>
          This is my cluster’s certificate
        </button>
      )}
    </div>
  )
}
