import type { Plugin } from 'vite'

/** A text of a library and what the build puts in its place. `file` is how the module's path ends. */
type Edit = { file: string; find: RegExp; put: string }

const edits: readonly Edit[] = [
  // The viewer of VMs' screens waits at a module's top for what the browser decodes. One such module splits the first page into small files.
  {
    file: '/novnc/core/util/browser.js',
    find: /supportsWebCodecsH264Decode = await _checkWebCodecsH264DecodeSupport\(\);/,
    put: '_checkWebCodecsH264DecodeSupport().then((can) => { supportsWebCodecsH264Decode = can });',
  },
  // The sockets ask for WebSocket and polling only, so the code of WebTransport can be left out.
  { file: '/engine.io-client/build/esm/transports/index.js', find: /\s*webtransport: WT,/, put: '' },
  // The page makes its own manager, so `io` and what reads its address can be left out.
  {
    file: '/socket.io-client/build/esm/index.js',
    find: /^Object\.assign\(lookup/m,
    put: '/* @__PURE__ */ Object.assign(lookup',
  },
  // The lexer reads answers and React draws them. The instance of `marked` would keep its parser and renderer in the
  // bundle. Mermaid has a `marked` of its own, which stays whole.
  {
    file: '/marked/lib/marked.esm.js',
    find: /var (\w+)=new \w+;function \w+\(\w+,\w+\)\{return \1\.parse\([\s\S]*?(export\{)[\s\S]*?(\w+ as Lexer,)[\s\S]*?\}/,
    put: '$2$3}',
  },
]

/** Edits libraries in the build, so that the first page stays small. Fails where a library no longer has the text. */
export const libraryEdits: Plugin = {
  name: 'library-edits',
  apply: 'build',
  transform(code, id) {
    const edit = edits.find(({ file }) => id.endsWith(file) && !id.includes('/mermaid/'))
    if (edit === undefined) return undefined
    if (!edit.find.test(code)) throw new Error(`${id} no longer has ${edit.find}: look at this edit again`)
    return { code: code.replace(edit.find, edit.put), map: null }
  },
}
