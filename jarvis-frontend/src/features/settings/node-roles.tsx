import type { NodeRolesReply } from 'protocol'
import { ApiError } from 'protocol/client'
import { useState } from 'react'
import { call } from '../../api/http.ts'
import { FormSaid, type Said } from './form-problem.tsx'

/** A field for the purpose of each node, in a few words. @param nodes the nodes that the cluster names now */
export function NodeRolesForm(props: { nodes: readonly string[]; known: NodeRolesReply; isResting: boolean }) {
  const { nodes, isResting } = props
  const [known, setKnown] = useState(props.known)
  const [said, setSaid] = useState<Said>()
  const names = [...new Set([...nodes, ...Object.keys(known.roles), ...Object.keys(known.policy)])]
  const save = async (form: HTMLFormElement) => {
    const given = new FormData(form)
    const entries = names.map((name) => [name, String(given.get(name) ?? known.roles[name] ?? '').trim()] as const)
    try {
      const roles = Object.fromEntries(entries.filter(([, role]) => role !== ''))
      setKnown(await call('PUT /api/node-roles', { body: { roles } }))
      setSaid({ ok: true, text: 'Kept.' })
    } catch (error) {
      setSaid({ ok: false, text: `Not kept: ${error instanceof ApiError ? error.message : 'no answer came.'}` })
    }
  }
  return (
    <form
      className="form-row"
      aria-label="What nodes are for"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isResting) void save(event.currentTarget)
      }}
    >
      {names.map((name) =>
        known.policy[name] === undefined ? (
          <label key={name}>
            {name}
            <input
              className="field"
              name={name}
              maxLength={40}
              defaultValue={known.roles[name]}
              placeholder="main, compute, NAS …"
              disabled={isResting}
            />
          </label>
        ) : (
          <p key={name}>
            {name}: {known.policy[name]} <span className="text-soft">by policy.yaml</span>
          </p>
        ),
      )}
      <button type="submit" className="button" aria-disabled={isResting}>
        Keep these names
      </button>
      <FormSaid said={said} />
    </form>
  )
}
