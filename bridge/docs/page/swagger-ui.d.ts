/** As much of Swagger UI as the docs page uses; the package has no types of its own. */
declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  export interface SwaggerUi {
    /** Sends a value with every call, as the security scheme of that name says. */
    preauthorizeApiKey(schemeName: string, value: string): void;
    authActions: { logout(schemeNames: string[]): void };
    layoutActions: { show(thing: string[], isShown: boolean): void };
  }

  /** What a plugin is given: React, and the components by name. */
  export interface System {
    React: { createElement(type: unknown, props: object | null, ...children: unknown[]): unknown };
  }

  type Component = (props: never) => unknown;

  export interface Plugin {
    components?: Record<string, Component>;
    wrapComponents?: Record<string, (original: unknown, system: System) => Component>;
    rootInjects?: Record<string, object>;
  }

  export default function SwaggerUI(options: {
    spec: object;
    domNode: HTMLElement;
    plugins: ((system: System) => Plugin)[];
    onComplete: () => void;
    [option: string]: unknown;
  }): SwaggerUi;
}
