import type { AgentBody } from 'protocol'
import { tierWord } from '../../ui/tier.tsx'

const ceilings = ['green', 'yellow', 'red'] as const
const memories = { own: 'its own, and main’s folder shared', shared: 'main’s', none: 'none' } as const

/** The most important limits of an agent other than `main`: ceiling and tools. */
export const RightFields = ({ body }: { body: AgentBody }) => (
  <>
    <label>
      At most
      <select className="field" name="ceiling" defaultValue={body.ceiling ?? 'yellow'}>
        {ceilings.map((tier) => (
          <option key={tier} value={tier}>
            {tierWord[tier]}
          </option>
        ))}
      </select>
    </label>
    <label>
      May use, or all where empty
      <textarea
        className="field mono"
        name="allow"
        rows={3}
        defaultValue={body.tools?.allow?.join(', ')}
        placeholder="get_*, restart_service"
        spellCheck={false}
      />
    </label>
  </>
)

/** The further limits of an agent other than `main`: memory, forbidden tools, skills. */
export const MoreRightFields = ({ body }: { body: AgentBody }) => (
  <>
    <label>
      Memory
      <select className="field" name="memory" defaultValue={body.memory ?? 'own'}>
        {Object.entries(memories).map(([kind, label]) => (
          <option key={kind} value={kind}>
            {label}
          </option>
        ))}
      </select>
    </label>
    <label>
      May not use; this wins
      <textarea
        className="field mono"
        name="deny"
        rows={2}
        defaultValue={body.tools?.deny?.join(', ')}
        spellCheck={false}
      />
    </label>
    <label>
      Skills of the workspace that it may load, or all where empty
      <input
        className="field mono"
        name="skills"
        defaultValue={body.skills?.join(', ')}
        placeholder="disk-health, net*"
        spellCheck={false}
      />
    </label>
  </>
)
