import type { ProfileName } from 'jarvis-backend/protocol'
import { useState } from 'react'
import { Link } from 'react-router'
import { signedIn } from '../api/auth.ts'
import { useGrants } from '../api/grants.ts'
import { ApiError } from '../api/http.ts'
import { mcpServers } from '../api/mcp-servers.ts'
import { mcpTokens, readSettings, setProfile } from '../api/settings.ts'
import { readSetup } from '../api/setup.ts'
import { useStatus } from '../api/status.ts'
import { useLoad } from '../api/use-load.ts'
import { ClusterForm } from '../features/settings/cluster-form.tsx'
import { McpServerList } from '../features/settings/mcp-servers.tsx'
import { McpTokenList, NewMcpToken } from '../features/settings/mcp-tokens.tsx'
import { NewMcpServer } from '../features/settings/new-mcp-server.tsx'
import { PasswordForm } from '../features/settings/password.tsx'
import { ProfileChoice } from '../features/settings/profile.tsx'
import { plural } from '../lib/format.ts'
import { keep } from '../lib/keep.ts'
import { useValue } from '../lib/use-value.ts'
import { Visible } from '../ui/boxed.tsx'
import { Mark } from '../ui/mark.tsx'
import { say } from './announce.tsx'
import { Problem, Resting, Skeletons, useIsLive } from './load-state.tsx'
import { notifyState } from './notify.ts'
import { PageHead } from './page-head.tsx'
import './settings-page.css'
import { type Choice, chooseTheme, themeChoice } from './theme.ts'

const sections = [
  ['models', 'Models'],
  ['safety', 'Safety'],
  ['proxmox', 'Proxmox'],
  ['mcp-servers', 'MCP servers'],
  ['mcp', 'MCP tokens'],
  ['notifications', 'Notifications'],
  ['display', 'Display'],
  ['sign-in', 'Sign-in'],
] as const

export function SettingsPage() {
  return (
    <>
      <PageHead title="Settings">
        <span className="flex-1" />
      </PageHead>
      <div className="page settings">
        <nav aria-label="Settings">
          {sections.map(([id, name]) => (
            <a key={id} href={`#${id}`}>
              {name}
            </a>
          ))}
        </nav>
        <div className="scroll settings-body">
          <Models />
          <Safety />
          <Proxmox />
          <McpServers />
          <McpTokens />
          <Notifications />
          <Display />
          <SignIn />
        </div>
      </div>
    </>
  )
}

function Section({ id, title, children }: { id: string; title: string; children: React.ReactNode }) {
  return (
    <section id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      {children}
    </section>
  )
}

const useRights = () => {
  const isOperator = useValue(signedIn)?.role === 'operator'
  const isLive = useIsLive()
  return { isOperator, isLive, isResting: !isOperator || !isLive }
}

function Models() {
  const status = useStatus()
  const part = status?.parts?.find(({ name }) => name === 'Model')
  return (
    <Section id="models" title="Models">
      <p>Keys come from the environment and are never shown again.</p>
      {status === undefined ? (
        <Skeletons rows={1} height={46} />
      ) : (
        <ul className="fact-list">
          <li>
            <Mark kind={part?.health ?? 'unknown'} size={11} label={part?.health ?? 'not known'} />
            <span>
              {status.isDemoModel ? 'demo' : status.model.split('/')[0]}
              <small>in use</small>
            </span>
            <span className="text-soft">
              <Visible text={status.model} />
              <small>{part?.text}</small>
            </span>
          </li>
        </ul>
      )}
      <p>
        To change it, set <code>JARVIS_MODEL</code> (such as <code>anthropic/claude-sonnet-5-5</code>,{' '}
        <code>openai/gpt-5.2</code> or <code>demo</code>) and its key in <code>.env</code>, and start JARVIS again.
      </p>
    </Section>
  )
}

function Safety() {
  const { isOperator, isLive, isResting } = useRights()
  const { data, problem, again, put } = useLoad('settings', readSettings, ['connect', 'settings'])
  const policy = useStatus()?.policy
  const grants = useGrants()?.length ?? 0
  const [asked, setAsked] = useState<ProfileName>()
  const [refused, setRefused] = useState<ApiError>()
  const names = data?.profiles.map(({ name }) => name) ?? []
  const isLooser = (next: ProfileName) => data !== undefined && names.indexOf(next) > names.indexOf(data.profile)
  const change = async (profile: ProfileName) => {
    setAsked(undefined)
    try {
      put(await setProfile(profile))
      setRefused(undefined)
      say(`The profile is ${profile} now.`)
    } catch (error) {
      setRefused(error instanceof ApiError ? error : new ApiError('unreadable', 'The answer could not be read.'))
    }
  }
  return (
    <Section id="safety" title="Safety">
      <p>How much is asked before something is changed. What is never run stays so in every profile.</p>
      <Problem error={problem} onAgain={again} kept={data !== undefined} />
      <Problem error={refused} />
      {data === undefined ? (
        problem === undefined && <Skeletons rows={5} height={34} />
      ) : (
        <ProfileChoice
          settings={asked === undefined ? data : { ...data, profile: asked }}
          isResting={isResting}
          onChoose={(next) => (isLooser(next) ? setAsked(next) : void change(next))}
        />
      )}
      {asked !== undefined && (
        <div className="strip" role="alertdialog" aria-label="A looser profile">
          <span>
            <b>{asked} asks less than now.</b> Cards that wait are not decided by it.
          </span>
          <button type="button" className="button small" onClick={() => void change(asked)}>
            Use {asked}
          </button>
          <button type="button" className="button small quiet" onClick={() => setAsked(undefined)}>
            Keep {data?.profile}
          </button>
        </div>
      )}
      <Resting isOperator={isOperator} isLive={isLive} />
      <ul className="fact-list">
        <li>
          <Mark
            kind={policy?.problems === undefined ? (policy?.hash === undefined ? 'none' : 'ok') : 'warn'}
            size={11}
          />
          <span>
            policy.yaml
            <small>your own rules</small>
          </span>
          <span className="text-soft">
            {policy?.problems !== undefined ? (
              <>
                Not in force as it is now; the one before is.
                {policy.problems.map((line) => (
                  <small key={line} className="mono">
                    <Visible text={line} />
                  </small>
                ))}
              </>
            ) : policy?.hash === undefined ? (
              'none in the data dir: only what JARVIS ships is in force'
            ) : (
              <>
                in force <small className="mono">{policy.hash.slice(0, 16)}</small>
              </>
            )}
          </span>
        </li>
        <li>
          <Mark kind={grants > 0 ? 'running' : 'stopped'} size={11} />
          <span>Grants</span>
          <span className="text-soft">{grants === 0 ? 'none in force' : `${plural(grants, 'grant')} in force`}</span>
          <Link className="button small quiet" to="/waiting">
            See them
          </Link>
        </li>
      </ul>
    </Section>
  )
}

function Proxmox() {
  const { isOperator, isLive, isResting } = useRights()
  const { data, problem, again } = useLoad(
    isOperator ? 'setup' : 'none',
    () => (isOperator ? readSetup() : Promise.resolve(undefined)),
    ['connect'],
  )
  const status = useStatus()
  const part = status?.parts?.find(({ name }) => name === 'Cluster')
  return (
    <Section id="proxmox" title="Proxmox">
      <ul className="fact-list">
        <li>
          <Mark kind={part?.health ?? 'unknown'} size={11} label={part?.health ?? 'not known'} />
          <span>
            {status?.isDemoCluster === true ? 'demo' : 'cluster'}
            <small>in use</small>
          </span>
          <span className="text-soft">
            <Visible text={part?.text ?? 'not known yet'} />
            {part?.effect !== undefined && (
              <small>
                <Visible text={part.effect} />
              </small>
            )}
          </span>
          <Link className="button small quiet" to="/cluster">
            Open
          </Link>
        </li>
      </ul>
      {isOperator && <Problem error={problem} onAgain={again} kept={data !== undefined} />}
      {data?.source === 'environment' && (
        <p>
          It is set in the environment or <code>.env</code> (<code>PVE_URL</code>, <code>PVE_TOKEN_ID</code>,{' '}
          <code>PVE_TOKEN_SECRET</code>) and can be changed only there.
        </p>
      )}
      {isResting ? (
        <Resting isOperator={isOperator} isLive={isLive} />
      ) : data === undefined ? (
        problem === undefined && <Skeletons rows={1} height={46} />
      ) : (
        data.source !== 'environment' && <ClusterForm setup={data} />
      )}
    </Section>
  )
}

function McpServers() {
  const { isOperator, isLive, isResting } = useRights()
  const { data, problem, again } = useLoad(
    isOperator ? 'mcp-servers' : 'none',
    () => (isOperator ? mcpServers() : Promise.resolve({ items: [], problems: [] })),
    ['connect', 'mcp_servers'],
  )
  return (
    <Section id="mcp-servers" title="MCP servers">
      <p>Their tools pass the same gate: each asks until you say otherwise, and again when its definition changes.</p>
      <Problem error={problem} onAgain={again} kept={data !== undefined} />
      {data?.problems.map((line) => (
        <p key={line} className="form-problem">
          <Mark kind="warn" size={11} label="mcp.json:" />{' '}
          <span>
            <Visible text={line} />
          </span>
        </p>
      ))}
      {data === undefined
        ? problem === undefined && <Skeletons rows={2} height={46} />
        : isOperator && <McpServerList servers={data.items} isResting={isResting} onChanged={again} />}
      {isResting ? <Resting isOperator={isOperator} isLive={isLive} /> : <NewMcpServer onChanged={again} />}
    </Section>
  )
}

function McpTokens() {
  const { isOperator, isLive, isResting } = useRights()
  const { data, problem, again } = useLoad(
    `tokens ${isOperator}`,
    () => (isOperator ? mcpTokens() : Promise.resolve({ items: [] })),
    ['connect'],
  )
  return (
    <Section id="mcp" title="MCP tokens">
      <p>A token may call tools. It can never confirm.</p>
      <Problem error={problem} onAgain={again} kept={data !== undefined} />
      {data === undefined
        ? problem === undefined && <Skeletons rows={2} height={46} />
        : isOperator && <McpTokenList tokens={data.items} onChanged={again} />}
      {isResting ? <Resting isOperator={isOperator} isLive={isLive} /> : <NewMcpToken onChanged={again} />}
    </Section>
  )
}

const notifyWords = {
  absent: 'This browser gives notifications only to pages over https or on this machine.',
  denied: 'This browser was told to refuse them. Allow them for this page in its own settings.',
  default: 'The browser asks once.',
  granted: 'A card is told where this page is not in front. Nothing can be approved from there.',
} as const

function Notifications() {
  const [state, setState] = useState(notifyState)
  const [isOn, setOn] = useState(keep.get('notify') === 'on')
  const turn = async (next: boolean) => {
    if (next && state === 'default') setState(await Notification.requestPermission())
    const isGranted = notifyState() === 'granted'
    keep.set('notify', next && isGranted ? 'on' : undefined)
    setOn(next && isGranted)
  }
  return (
    <Section id="notifications" title="Notifications">
      <div className="fact-list choices">
        <label>
          <input
            type="checkbox"
            checked={isOn && state === 'granted'}
            disabled={state === 'absent' || state === 'denied'}
            onChange={(event) => void turn(event.currentTarget.checked)}
          />
          <b>When a card waits</b>
          <span className="text-soft">{notifyWords[state]}</span>
        </label>
      </div>
      <p>The page’s title always says how many wait.</p>
    </Section>
  )
}

const themes: readonly (readonly [Choice, string, string])[] = [
  ['system', 'System', 'As this device is set.'],
  ['dark', 'Dark', 'Always.'],
  ['light', 'Light', 'Always.'],
]

function Display() {
  const [choice, setChoice] = useState(themeChoice)
  const [hasLetters, setLetters] = useState(keep.get('letters') !== 'off')
  return (
    <Section id="display" title="Display">
      <fieldset className="fact-list choices">
        <legend className="vh">Theme</legend>
        {themes.map(([value, name, words]) => (
          <label key={value}>
            <input
              type="radio"
              name="theme"
              checked={choice === value}
              onChange={() => {
                chooseTheme(value)
                setChoice(value)
              }}
            />
            <b>{name}</b>
            <span className="text-soft">{words}</span>
          </label>
        ))}
      </fieldset>
      <div className="fact-list choices">
        <label>
          <input
            type="checkbox"
            checked={hasLetters}
            onChange={(event) => {
              keep.set('letters', event.currentTarget.checked ? undefined : 'off')
              setLetters(event.currentTarget.checked)
            }}
          />
          <b>Single-letter keys</b>
          <span className="text-soft">
            Such as <kbd>g</kbd> <kbd>j</kbd> for the journal; <kbd>?</kbd> shows them all. Kept in this browser.
          </span>
        </label>
      </div>
    </Section>
  )
}

function SignIn() {
  const { isOperator, isLive, isResting } = useRights()
  return (
    <Section id="sign-in" title="Sign-in">
      {isOperator && <PasswordForm isResting={isResting} />}
      <Resting isOperator={isOperator} isLive={isLive} />
    </Section>
  )
}
