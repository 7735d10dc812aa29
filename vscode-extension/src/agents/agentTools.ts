/** Gives agents Helix's tools one way at a time, as the setting `helix.agentTools` and this editor want it. */
import * as vscode from 'vscode';
import type { Logger } from '../base/logger';
import { launchOf, type Launch } from '../server/launch';
import type { Server } from '../server/server';
import { agentToolsSetting } from '../base/settings';
import { supports } from '../base/supports';
import { McpServers } from './mcpServer';
import { agentMode, type AgentMode } from '../base/agentMode';
import { ToolProcess } from './toolProcess';
import { registerTools, type ToolWords } from './tools';

export interface AgentToolsNeeds {
  readonly server: Server;
  readonly logger: Logger;
  /** A folder of our own that exists, for processes to start in. */
  readonly cwd: string;
  readonly tools: readonly ToolWords[];
  readonly version: string;
}

export class AgentTools implements vscode.Disposable {
  private readonly process: ToolProcess;
  private readonly servers = new McpServers();
  private readonly listeners: { dispose(): unknown }[];
  private registered: vscode.Disposable | undefined;
  private current: AgentMode = 'off';
  private interpreter: string | undefined;

  constructor(private readonly needs: AgentToolsNeeds) {
    this.process = new ToolProcess({
      launch: () => this.launch(),
      roots,
      log: (line) => {
        needs.logger.debug(`helix mcp: ${line}`);
      },
      version: needs.version,
    });
    const update = (): void => {
      this.update();
    };
    this.listeners = [
      this.servers,
      needs.server.onState(update),
      vscode.workspace.onDidGrantWorkspaceTrust(update),
      vscode.workspace.onDidChangeWorkspaceFolders(() => {
        this.process.rootsChanged();
        update();
      }),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('helix.agentTools')) {
          update();
        }
      }),
    ];
    if (supports.mcpServers) {
      this.listeners.push(vscode.lm.registerMcpServerDefinitionProvider('helix.mcp', this.servers));
    }
    this.update();
  }

  get mode(): AgentMode {
    return this.current;
  }

  dispose(): void {
    this.registered?.dispose();
    this.process.dispose();
    vscode.Disposable.from(...this.listeners).dispose();
  }

  private update(): void {
    const mode = agentMode(agentToolsSetting(), supports, vscode.workspace.isTrusted);
    if (mode !== this.current) {
      this.needs.logger.info(`Tools for agents: ${mode}`);
      this.current = mode;
      this.registered?.dispose();
      this.registered = mode === 'tools' ? registerTools(this.needs.tools, this.process) : undefined;
      if (mode !== 'tools') {
        this.process.dispose();
      }
      void vscode.commands.executeCommand('setContext', 'helix.agentTools', mode);
    }
    const { state } = this.needs.server;
    if (state.kind === 'running') {
      if (this.interpreter !== state.interpreter.path) {
        this.interpreter = state.interpreter.path;
        this.process.dispose();
      }
      const launch = launchOf(state.interpreter, this.needs.cwd, {}, [
        'mcp',
        ...roots()
          .slice(0, 1)
          .map(({ path }) => path),
      ]);
      this.servers.offer(mode === 'mcp' ? launch : undefined, `${this.needs.version} ${state.interpreter.helix}`);
    } else if (mode !== 'mcp' || state.kind === 'noPython') {
      this.servers.offer(undefined, this.needs.version);
    }
  }

  /** Of a process for the editor's own tools, once an interpreter is known. */
  private async launch(): Promise<Launch> {
    const interpreter = await this.needs.server.interpreter();
    const [first] = roots();
    if (!first) {
      throw new Error('Helix answers about a folder: open one, and ask again.');
    }
    return launchOf(interpreter, this.needs.cwd, process.env, ['mcp', first.path]);
  }
}

function roots(): { uri: string; name: string; path: string }[] {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  return folders.map(({ uri, name }) => ({ uri: uri.toString(), name, path: uri.fsPath }));
}
