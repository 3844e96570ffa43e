# Speedups with their data. Draw it again: gnuplot {{name}}.gp
if (!exists("svg")) svg = "{{name}}.svg"
if (!exists("png")) png = "{{name}}.png"
set encoding utf8
# middle, left, right, bottom, top, size
$bars << EOD
{{#bars}}
{{middle}} {{low_x}} {{high_x}} {{low_y}} {{high_y}} {{size}}
{{/bars}}
EOD
set lmargin at screen {{left}}
set rmargin at screen {{right}}
set tmargin at screen 0.84
set bmargin at screen {{#slanted}}0.31{{/slanted}}{{^slanted}}0.14{{/slanted}}
set xrange [{{x0}}:{{x1}}]
set yrange [{{y0}}:{{y1}}]
{{#log}}
set logscale y
{{/log}}
set format y "%gx"
set ylabel "Speedup over the best peer (ratio of times)" textcolor rgb "#202020"
set border 3 linecolor rgb "#404040"
set xtics nomirror scale 0 noenhanced{{#slanted}} rotate by 50 right{{/slanted}} ({{#groups}}'{{text}}' {{x}}{{comma}}{{/groups}}) textcolor rgb "#202020"
set ytics nomirror textcolor rgb "#202020"
set grid ytics linetype 1 linecolor rgb "#E4E4E4"
set style fill solid 1.0 noborder
set label 1000 '{{title}}' at screen {{left}}, 0.955 left noenhanced textcolor rgb "#101010" font ",16"
set label 1001 '{{warning}}' at screen {{left}}, 0.895 left noenhanced textcolor rgb "#A3123F" font ",12"
set label 1002 '{{note}}' at screen {{left}}, 0.025 left noenhanced textcolor rgb "#505050" font ",10"
set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead linecolor rgb "#A3123F" linewidth 1.6 dashtype 2 front
{{#values}}
set label '{{text}}' at {{x}}, {{y}} {{#turned}}rotate by 90 left{{/turned}}{{^turned}}center{{/turned}} offset 0,0.6 textcolor rgb "#202020" font ",10" front
{{/values}}
set key at screen {{key_left}}, 0.84 left top Left reverse noenhanced textcolor rgb "#202020" samplen 1.5 spacing 1.2 font ",11"
set terminal svg size {{width}},{{height}} font "DejaVu Sans,12" background rgb "white"
set output svg
plot NaN notitle{{#sizes}}, \
  $bars using ($6=={{column}}?$1:NaN):5:2:3:4:5 with boxxyerror linecolor rgb "{{color}}" notitle, \
  NaN with boxes linecolor rgb "{{color}}" title '{{text}}'{{/sizes}}, \
  NaN with lines linecolor rgb "#A3123F" linewidth 1.6 dashtype 2 title 'best peer' 
set terminal pngcairo size {{width}},{{height}} font "DejaVu Sans,12" background rgb "white"
set output png
replot
set output
