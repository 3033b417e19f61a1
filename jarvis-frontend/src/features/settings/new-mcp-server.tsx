import { ApiError } from 'protocol/client'
import { useState } from 'react'
import { addMcpServer } from '../../api/mcp-servers.ts'
import { meantAddress } from './address.ts'
import { FormProblem } from './form-problem.tsx'

/** Attaches a server by its command line or its URL. Further settings are written in `mcp.json`. */
export function NewMcpServer({ onChanged }: { onChanged: () => void }) {
  const [problem, setProblem] = useState<string>()
  const add = async (form: HTMLFormElement) => {
    const given = new FormData(form)
    const reach = String(given.get('reach')).trim()
    const [command = '', ...args] = wordsOf(reach)
    if (/^[\w.-]+:\d+(\/|$)/.test(reach)) {
      setProblem(`An address begins with http:// or https://. Did you mean ${meantAddress(reach) ?? 'one'}?`)
      return
    }
    try {
      await addMcpServer(
        String(given.get('name')).trim(),
        /^https?:\/\//.test(reach) ? { url: reach } : { command, args },
      )
      setProblem(undefined)
      form.reset()
      onChanged()
    } catch (error) {
      setProblem(error instanceof ApiError ? error.message : 'The answer could not be read.')
    }
  }
  return (
    <>
      <form
        className="form-row"
        aria-label="Attach an MCP server"
        onSubmit={(event) => {
          event.preventDefault()
          void add(event.currentTarget)
        }}
      >
        <label>
          Name
          <input className="field" name="name" required maxLength={32} placeholder="my-files" autoComplete="off" />
        </label>
        <label className="flex-1">
          Command or URL
          <input
            className="field"
            name="reach"
            required
            placeholder="npx -y a-server /srv, or http://nas:8080/mcp"
            autoComplete="off"
          />
        </label>
        <button type="submit" className="button">
          Attach the server
        </button>
      </form>
      <FormProblem text={problem} />
    </>
  )
}

/** Splits a line into words at spaces. Text in quotes is one word. No shell is involved, so nothing is expanded. */
const wordsOf = (line: string): string[] =>
  (line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? []).map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'))
