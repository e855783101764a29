import { browserProgram, openInBrowser } from '../browser.ts'
import { CannotDo, command } from '../command.ts'
import { findApp } from '../find-app.ts'

export const open = command({
  usage: 'open <app>',
  summary: 'Print the address of an app and, on a terminal, open it in the browser',
  async run(ctx, { app }) {
    const found = await findApp(ctx.api, app)
    if (found.url === '') throw new CannotDo('no_address', `${found.name} has no address.`, `Try: berth domains add ${found.id} <host>`)
    ctx.out.line(found.url)
    ctx.out.json({ url: found.url })
    const program = browserProgram()
    if (ctx.out.isTerminal && !ctx.out.isJson && program !== undefined) await openInBrowser(program, found.url)
  },
})
