<?php

/** What the listener needs of Paymenter and Laravel. Arguments: the listener's file, and the events as JSON. */

namespace Illuminate\Contracts\Queue {
    interface ShouldQueue
    {
    }
}

namespace Illuminate\Support\Facades {
    class Http
    {
        private string $answer = '';

        private function __construct(private string $token)
        {
        }

        public static function withToken(string $token): self
        {
            return new self($token);
        }

        public function timeout(int $seconds): self
        {
            return $this;
        }

        public function put(string $url, array $body): self
        {
            $options = [
                'method' => 'PUT',
                'header' => ["Authorization: Bearer {$this->token}", 'Content-Type: application/json'],
                'content' => json_encode($body),
                'ignore_errors' => true,
            ];
            $stream = fopen($url, 'r', false, stream_context_create(['http' => $options]));
            $status = stream_get_meta_data($stream)['wrapper_data'][0];
            $this->answer = str_contains($status, ' 2') ? '' : "$status " . stream_get_contents($stream);

            return $this;
        }

        public function throw(): self
        {
            return $this->answer === '' ? $this : throw new \RuntimeException($this->answer);
        }
    }
}

namespace App\Events\User {
    class Created
    {
        public function __construct(public object $user)
        {
        }
    }

    class Updated extends Created
    {
    }
}

namespace App\Events\Service {
    class Created
    {
        public function __construct(public object $service)
        {
        }
    }

    class Updated extends Created
    {
    }
}

namespace {
    function config(string $name): string
    {
        return getenv(['services.gamehost.url' => 'GAMEHOST_URL', 'services.gamehost.key' => 'GAMEHOST_KEY'][$name]);
    }

    require $argv[1];

    $listener = new \App\Listeners\Gamehost();
    $methods = (new ReflectionClass($listener))->getMethods(ReflectionMethod::IS_PUBLIC);
    // As Laravel finds listeners: by the type of the argument of each method that begins with "handle".
    foreach (json_decode($argv[2]) as [$event, $subject]) {
        $class = "App\\Events\\$event";
        foreach ($methods as $method) {
            if (str_starts_with($method->name, 'handle') && $method->getParameters()[0]->getType()->getName() === $class) {
                try {
                    $method->invoke($listener, new $class($subject));
                } catch (RuntimeException $failure) {
                    echo $failure->getMessage(), "\n";
                }
            }
        }
    }
}
