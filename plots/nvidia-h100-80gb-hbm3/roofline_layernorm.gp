# A roofline with its data. Draw it again: gnuplot roofline_layernorm.gp
if (!exists("svg")) svg = "roofline_layernorm.svg"
if (!exists("png")) png = "roofline_layernorm.png"
set encoding utf8
$points << EOD
1.07359 1.08937e+11
1.07673 1.12435e+12
1.07752 2.72725e+12
1.07765 2.96021e+12
2.14717 1.13582e+11
2.15346 1.08914e+12
2.15503 4.86225e+12
2.1553 5.71699e+12
1.15709 8.11994e+10
1.16048 8.28405e+11
1.16133 1.97152e+12
1.16147 1.85961e+12
2.31418 8.65845e+10
2.32095 9.97363e+11
2.32265 3.52024e+12
2.32294 3.61965e+12
1.24709 1.06029e+11
1.25074 1.09697e+12
1.25165 2.66963e+12
1.25181 2.92514e+12
2.49418 1.04139e+11
2.50148 1.25823e+12
2.50331 4.67622e+12
2.50361 5.67658e+12
0.79564 5.54587e+09
0.797968 2.40859e+10
0.798553 9.21758e+10
0.79865 1.86194e+11
1.59128 4.75692e+09
1.59594 1.9996e+10
1.59711 8.05672e+10
1.5973 1.61664e+11
0.857525 7.76538e+10
0.860034 7.76412e+11
0.860664 2.11931e+12
0.860769 1.59719e+12
1.71505 7.91397e+10
1.72007 8.23982e+11
1.72133 2.58504e+12
1.72154 2.74069e+12
0.924223 8.4462e+10
0.926928 7.85789e+11
0.927607 1.71149e+12
0.92772 1.83264e+12
1.84845 9.5017e+10
1.85386 1.05734e+12
1.85521 3.20727e+12
1.85544 3.28679e+12
0.996109 1.01322e+11
0.999024 1.07826e+12
0.999756 2.68619e+12
0.999878 2.93093e+12
1.99222 1.06076e+11
1.99805 1.31346e+12
1.99951 4.73868e+12
1.99976 5.62825e+12
EOD
$lines << EOD
0.1 8.0044e+11
7.88194 6.30902e+13


0.1 3.01396e+11
20.9327 6.30902e+13


0.1 3.1167e+11
20.2426 6.30902e+13


7.88194 6.30902e+13
100 6.30902e+13


0.738221 3.10458e+12
1.34409 3.10458e+12


1.47644 6.20915e+12
2.68817 6.20915e+12


EOD
set lmargin at screen 0.08333
set rmargin at screen 0.77500
set bmargin at screen 0.11842
set tmargin at screen 0.90789
set logscale xy
set xrange [0.1:100]
set yrange [2e+09:2e+14]
set format x "%g"
set format y "%.0s %c"
set xlabel "Arithmetic intensity (FLOP/byte)" textcolor rgb "#202020"
set ylabel "Performance (FLOP/s)" textcolor rgb "#202020" offset -1,0
set border linecolor rgb "#404040"
set tics textcolor rgb "#202020"
set grid xtics ytics mxtics mytics linetype 1 linecolor rgb "#D8D8D8", linetype 1 linecolor rgb "#F0F0F0"
set label 1000 'Roofline of layernorm: NVIDIA H100 80GB HBM3, 2026-11-28' at screen 0.08333, 0.968 left noenhanced textcolor rgb "#101010" font ",16"
set label 1001 '' at screen 0.08333, 0.925 left noenhanced textcolor rgb "#A3123F" font ",12"
set label 1002 'Cold figures. Points of one intensity stand side by side under a red cap, their memory roof.' at screen 0.08333, 0.025 left noenhanced textcolor rgb "#505050" font ",10"
set label 'L2 8.00 TB/s' at 0.109313, 1.07854e+12 left rotate by 23.4 noenhanced textcolor rgb "#303030" font ",11" front
set label 'copy 3.01 TB/s' at 0.117575, 2.75709e+11 left rotate by 23.4 noenhanced textcolor rgb "#303030" font ",11" front
set label 'read 3.12 TB/s' at 0.109313, 4.19955e+11 left rotate by 23.4 noenhanced textcolor rgb "#303030" font ",11" front
set label 'fma f32 63.1 TFLOP/s' at 93.5587, 7.64355e+13 right rotate by 0.0 noenhanced textcolor rgb "#303030" font ",11" front
set key at screen 0.79, 0.90789 top left Left reverse noenhanced textcolor rgb "#202020" samplen 1 spacing 1.15 font ",11" nobox
set terminal svg size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output svg
plot NaN notitle, \
  $lines index 1-1 with lines linecolor rgb "#404040" dt 4 lw 1.4 notitle, \
  $lines index 2-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 3-1 with lines linecolor rgb "#404040" dt 3 lw 1.4 notitle, \
  $lines index 4-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 5-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $lines index 6-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $points every ::1-1::1-1 with points pointtype 6 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::2-1::2-1 with points pointtype 6 linecolor rgb "#000000" pointsize 0.95 linewidth 1.8 notitle, \
  $points every ::3-1::3-1 with points pointtype 6 linecolor rgb "#000000" pointsize 1.10 linewidth 1.8 notitle, \
  $points every ::4-1::4-1 with points pointtype 6 linecolor rgb "#000000" pointsize 1.25 linewidth 1.8 notitle, \
  $points every ::5-1::5-1 with points pointtype 4 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::6-1::6-1 with points pointtype 4 linecolor rgb "#000000" pointsize 0.95 linewidth 1.8 notitle, \
  $points every ::7-1::7-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.10 linewidth 1.8 notitle, \
  $points every ::8-1::8-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.25 linewidth 1.8 notitle, \
  $points every ::9-1::9-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::10-1::10-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 0.95 linewidth 1.8 notitle, \
  $points every ::11-1::11-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.10 linewidth 1.8 notitle, \
  $points every ::12-1::12-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.25 linewidth 1.8 notitle, \
  $points every ::13-1::13-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::14-1::14-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 0.95 linewidth 1.8 notitle, \
  $points every ::15-1::15-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.10 linewidth 1.8 notitle, \
  $points every ::16-1::16-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.25 linewidth 1.8 notitle, \
  $points every ::17-1::17-1 with points pointtype 6 linecolor rgb "#0A58CA" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::18-1::18-1 with points pointtype 6 linecolor rgb "#0A58CA" pointsize 0.95 linewidth 1.8 notitle, \
  $points every ::19-1::19-1 with points pointtype 6 linecolor rgb "#0A58CA" pointsize 1.10 linewidth 1.8 notitle, \
  $points every ::20-1::20-1 with points pointtype 6 linecolor rgb "#0A58CA" pointsize 1.25 linewidth 1.8 notitle, \
  $points every ::21-1::21-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::22-1::22-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 0.95 linewidth 1.8 notitle, \
  $points every ::23-1::23-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.10 linewidth 1.8 notitle, \
  $points every ::24-1::24-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.25 linewidth 1.8 notitle, \
  $points every ::25-1::25-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::26-1::26-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 0.95 linewidth 1.0 notitle, \
  $points every ::27-1::27-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::28-1::28-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.25 linewidth 1.0 notitle, \
  $points every ::29-1::29-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::30-1::30-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 0.95 linewidth 1.0 notitle, \
  $points every ::31-1::31-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::32-1::32-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 1.25 linewidth 1.0 notitle, \
  $points every ::33-1::33-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::34-1::34-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 0.95 linewidth 1.0 notitle, \
  $points every ::35-1::35-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::36-1::36-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.25 linewidth 1.0 notitle, \
  $points every ::37-1::37-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::38-1::38-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 0.95 linewidth 1.0 notitle, \
  $points every ::39-1::39-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::40-1::40-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 1.25 linewidth 1.0 notitle, \
  $points every ::41-1::41-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::42-1::42-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 0.95 linewidth 1.0 notitle, \
  $points every ::43-1::43-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::44-1::44-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 1.25 linewidth 1.0 notitle, \
  $points every ::45-1::45-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::46-1::46-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 0.95 linewidth 1.0 notitle, \
  $points every ::47-1::47-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::48-1::48-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 1.25 linewidth 1.0 notitle, \
  $points every ::49-1::49-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::50-1::50-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.95 linewidth 1.0 notitle, \
  $points every ::51-1::51-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::52-1::52-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.25 linewidth 1.0 notitle, \
  $points every ::53-1::53-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::54-1::54-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 0.95 linewidth 1.0 notitle, \
  $points every ::55-1::55-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::56-1::56-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.25 linewidth 1.0 notitle, \
  NaN with lines linecolor rgb "white" title 'Kernels', \
  NaN with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.40 linewidth 1.6 title 'v1_baseline', \
  NaN with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.40 linewidth 1.6 title 'v2_tiling', \
  NaN with points pointtype 7 linecolor rgb "#009E73" pointsize 1.40 linewidth 1.6 title 'v3_coalesced', \
  NaN with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.40 linewidth 1.6 title 'v4_optimized', \
  NaN with lines linecolor rgb "white" title 'Peers', \
  NaN with points pointtype 6 linecolor rgb "#000000" pointsize 1.40 linewidth 1.6 title 'torch_compile', \
  NaN with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.40 linewidth 1.6 title 'torch_eager', \
  NaN with points pointtype 6 linecolor rgb "#0A58CA" pointsize 1.40 linewidth 1.6 title 'triton', \
  NaN with lines linecolor rgb "white" title 'Dtypes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'f32', \
  NaN with points pointtype 5 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'bf16', \
  NaN with lines linecolor rgb "white" title 'Sizes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.80 linewidth 1.6 title 'small', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.95 linewidth 1.6 title 'medium', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.10 linewidth 1.6 title 'large', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.25 linewidth 1.6 title 'xlarge'
set terminal pngcairo size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output png
replot
set output
