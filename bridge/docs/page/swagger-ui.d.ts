/** The part of Swagger UI that the docs page uses; the package ships no types. */
declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  export interface SwaggerUi {
    /** Sends a value with every call, in the form that the named security scheme defines. */
    preauthorizeApiKey(schemeName: string, value: string): void;
    authActions: { logout(schemeNames: string[]): void };
    layoutActions: { show(path: string[], isShown: boolean): void };
  }

  /** What a plugin receives. */
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
