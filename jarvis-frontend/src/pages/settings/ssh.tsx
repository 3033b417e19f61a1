import type { DoctorReply } from 'protocol'
import { ApiError } from 'protocol/client'
import { useState } from 'react'
import { call } from '../../api/http.ts'
import { readSettings } from '../../api/settings.ts'
import { useStatus } from '../../api/status.ts'
import { useLoad } from '../../api/use-load.ts'
import { Problem, Resting, Skeletons } from '../../app/load-state.tsx'
import { FormProblem } from '../../features/settings/form-problem.tsx'
import { Checks } from '../../features/system/doctor.tsx'
import { Visible } from '../../ui/boxed.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Mark } from '../../ui/mark.tsx'
import { SavedRow } from './restart-now.tsx'
import { Section, useRights } from './section.tsx'

const makeKey = 'ssh-keygen -t ed25519 -N "" -f ~/.ssh/jarvis_ed25519'
const areas = ['SSH', 'Wake-on-LAN']

/** Shows how JARVIS reaches the nodes by SSH, and if the nodes accept it. */
export function Ssh() {
  const { isOperator, isLive, isResting } = useRights()
  const { data, problem, again } = useLoad('settings', readSettings, ['connect', 'settings'])
  const status = useStatus()
  const isDemo = status?.isDemoCluster === true
  const [found, setFound] = useState<DoctorReply>()
  const [failed, setFailed] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const test = async () => {
    if (isBusy || isResting) return
    setBusy(true)
    setFailed(undefined)
    try {
      setFound(await call('GET /api/doctor', { query: { model: '0' } }))
    } catch (error) {
      setFailed(error instanceof ApiError ? error.message : 'The answer could not be read.')
    }
    setBusy(false)
  }
  const ssh = data?.ssh
  const hasKey = ssh !== undefined && (ssh.keyPath !== undefined || ssh.hasAgent)
  return (
    <Section id="ssh" title="SSH">
      <p>
        Temperatures, services and commands on a node go over SSH. A host key that is not known, or is another one, is
        refused.
      </p>
      <Problem error={problem} onAgain={again} kept={data !== undefined} />
      {ssh === undefined ? (
        problem === undefined && <Skeletons rows={1} height={46} />
      ) : (
        <ul className="fact-list">
          <li>
            <Mark kind={hasKey ? 'running' : 'none'} size={11} />
            <span>
              Key
              <small>{hasKey ? `signs in as ${ssh.user}` : 'none set'}</small>
            </span>
            <span className="text-soft">
              {ssh.keyPath !== undefined ? (
                <span className="mono">
                  <Visible text={ssh.keyPath} />
                </span>
              ) : ssh.hasAgent ? (
                'the agent that JARVIS was started with'
              ) : isDemo ? (
                'none needed: the demo cluster answers by itself'
              ) : (
                'nothing can be read from a node itself'
              )}
              <small>
                known hosts in <span className="mono">{ssh.knownHostsPath}</span>
              </small>
            </span>
            {!isDemo && isOperator && (
              <button
                type="button"
                className="button small quiet"
                aria-label="Test SSH to every node"
                aria-disabled={isBusy || isResting}
                onClick={() => void test()}
              >
                {isBusy ? 'Trying' : 'Test'}
              </button>
            )}
          </li>
          {status?.nextStart?.hasNewSsh === true && (
            <SavedRow name="SSH" text="another account, key or place of a node" />
          )}
        </ul>
      )}
      {!hasKey && ssh !== undefined && !isDemo && (
        <>
          <p>This makes a key; its public half goes into a node’s authorized_keys, its path into SSH_KEY_PATH.</p>
          <div className="strip once command">
            <pre>{makeKey}</pre>
            <CopyButton text={makeKey} label="Copy what makes a key" />
          </div>
        </>
      )}
      <FormProblem text={failed} />
      {found !== undefined && <Checks checks={found.checks.filter(({ area }) => areas.includes(area))} />}
      <p>
        <code>SSH_USER</code>, <code>SSH_KEY_PATH</code>, <code>SSH_KNOWN_HOSTS</code> and <code>JARVIS_NODES</code> in{' '}
        <code>.env</code> say it, from the next start on; <code>npm run jarvis -- setup</code> goes through all of it.
      </p>
      {isOperator && !isLive && <Resting who="owner" isOperator isLive={isLive} />}
    </Section>
  )
}
