import type { OAuthAsk, OAuthProblem } from 'protocol'
import { ApiError } from 'protocol/client'
import { useEffect, useState } from 'react'
import { call } from '../../api/http.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Ring } from '../../ui/ring.tsx'
import './page.css'

const problemOf = (error: unknown) =>
  error instanceof ApiError ? error.message : 'The answer could not be read. Reload the page.'

/** The page to which an MCP client sends the browser. The person decides if the client may use JARVIS, and with which rights. */
export function ConsentPage() {
  const [request, setRequest] = useState<OAuthAsk | OAuthProblem>()
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    let isCurrent = true
    call('POST /api/oauth/requests', { body: { query: location.search } }).then(
      (found) => isCurrent && setRequest(found),
      (error) => isCurrent && setProblem(problemOf(error)),
    )
    return () => {
      isCurrent = false
    }
  }, [])

  return (
    <main className="consent" aria-busy={request === undefined && problem === undefined}>
      <Ring size={56} arcs={[]} core="quiet" />
      {problem !== undefined ? (
        <Refusal text={problem} />
      ) : request === undefined ? null : 'problem' in request ? (
        <Refusal text={request.problem}>
          <a className="button" href={request.returnTo}>
            Tell <Visible text={request.redirectHost} />
          </a>
        </Refusal>
      ) : (
        <Question ask={request} onProblem={setProblem} />
      )}
    </main>
  )
}

function Refusal({ text, children }: { text: string; children?: React.ReactNode }) {
  return (
    <section>
      <h1>This client cannot be let in</h1>
      <p className="problem" role="alert">
        <Mark kind="bad" />
        <span>
          <Visible text={text} />
        </span>
      </p>
      {children}
    </section>
  )
}

function Question({ ask, onProblem }: { ask: OAuthAsk; onProblem: (problem: string) => void }) {
  const [isReadOnly, setReadOnly] = useState(true)
  const [isBusy, setBusy] = useState(false)
  const decide = async (allow: boolean) => {
    if (isBusy) return
    setBusy(true)
    try {
      const { redirectTo } = await call('POST /api/oauth/requests/:id', {
        params: { id: ask.id },
        body: { allow, isReadOnly },
      })
      location.assign(redirectTo)
    } catch (error) {
      onProblem(problemOf(error))
    }
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void decide(true)
      }}
    >
      <h1>
        Let “<Visible text={ask.clientName} />” use JARVIS?
      </h1>
      <dl>
        <dt>Known by</dt>
        <dd>{ask.documentHost === undefined ? 'the name it gave itself' : <Visible text={ask.documentHost} />}</dd>
        <dt>Answered at</dt>
        <dd>
          <Visible text={ask.redirectHost} />
        </dd>
      </dl>
      {ask.isOnThisMachine && (
        <p className="problem">
          <Mark kind="warn" />
          <span>The answer goes to a program on this computer, and any of them can use this name.</span>
        </p>
      )}
      <fieldset>
        <legend>It may</legend>
        <label>
          <input type="radio" name="rights" checked={isReadOnly} onChange={() => setReadOnly(true)} /> read only
        </label>
        {ask.mayAsk && (
          <label>
            <input type="radio" name="rights" checked={!isReadOnly} onChange={() => setReadOnly(false)} /> read and ask
            for changes
          </label>
        )}
      </fieldset>
      <p className="help">
        {isReadOnly
          ? 'It sees the cluster and the journal, and changes nothing.'
          : 'Small changes run and are recorded; risky ones wait for you in this dashboard. It can never approve one itself.'}{' '}
        You can revoke it under Settings.
      </p>
      <div className="acts">
        <button type="button" className="button" aria-disabled={isBusy} onClick={() => void decide(false)}>
          Deny
        </button>
        <button type="submit" className="button solid" aria-disabled={isBusy}>
          Allow
        </button>
      </div>
    </form>
  )
}
