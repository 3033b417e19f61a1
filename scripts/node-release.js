/** Ends the program with one line where this Node is older than package.json allows. Every old Node can read this file. */
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19) || major === 21 || (major === 22 && minor < 12)) {
  console.error(
    `JARVIS needs Node 20.19, 22.12 or newer, and ${process.execPath} is ${process.versions.node}. Install a newer one, then run: npm ci`,
  )
  process.exit(1)
}
